"""BigQueryTable in its other forms (a view, a materialised view, an external table, partitions by range), each the whole way."""

from __future__ import annotations

import pytest
import yaml

from holdfast.kinds.catalog import shipped
from tests.kinds import test_cycle as cycle
from tests.world import World

TABLE = shipped().need("bigquery.cnrm.cloud.google.com", "BigQueryTable")
DATASET = {"apiVersion": TABLE.api_version, "kind": "BigQueryDataset", "metadata": {"name": "orders"}, "spec": {}}
IN_DATASET = {"datasetRef": {"name": "orders"}}
COLUMNS = '[{"name": "day", "type": "DATE", "mode": "NULLABLE", "description": "of the order"}]'
FORMS = {
    "view": ({"view": {"query": "SELECT day FROM orders.orders", "useLegacySql": False}, "schema": COLUMNS},
             {"view.query": "SELECT day FROM orders.others"}),
    "materialised view": ({"materializedView": {"query": "SELECT day FROM orders.orders", "enableRefresh": True, "refreshIntervalMs": 600000,
                                                "allowNonIncrementalDefinition": True}, "maxStaleness": "0-0 0 4:0:0"},
                          {"materializedView.enableRefresh": False}),
    "external, csv": ({"externalDataConfiguration": {
        "autodetect": False, "compression": "GZIP", "connectionId": "shop-prod.eu.lake", "ignoreUnknownValues": True, "maxBadRecords": 3, "sourceFormat": "CSV",
        "csvOptions": {"quote": '"', "allowJaggedRows": True, "allowQuotedNewlines": True, "encoding": "UTF-8", "fieldDelimiter": ";", "skipLeadingRows": 1},
        "hivePartitioningOptions": {"mode": "AUTO", "requirePartitionFilter": True, "sourceUriPrefix": "gs://shop/orders"},
        "fileSetSpecType": "FILE_SET_SPEC_TYPE_FILE_SYSTEM_MATCH", "schema": COLUMNS, "sourceUris": ["gs://shop/orders/*", "gs://shop/more/*"]}},
        {"externalDataConfiguration.maxBadRecords": 5}),
    "external, parquet": ({"externalDataConfiguration": {
        "autodetect": True, "sourceFormat": "PARQUET", "sourceUris": ["gs://shop/orders/*"], "metadataCacheMode": "AUTOMATIC",
        "parquetOptions": {"enableListInference": True, "enumAsString": True}, "referenceFileSchemaUri": "gs://shop/orders/one"}, "maxStaleness": "0-0 0 4:0:0"},
        {"externalDataConfiguration.parquetOptions": {"enableListInference": False, "enumAsString": True}}),
    "range": ({"schema": '[{"name": "id", "type": "INTEGER"}]', "rangePartitioning": {"field": "id", "range": {"start": 0, "end": 100, "interval": 10}}},
              {"schema": '[{"name": "id", "type": "INTEGER", "description": "which"}]'}),
}


@pytest.fixture(params=FORMS)
def form(request, tmp_path):
    spec, changes = FORMS[request.param]
    path = tmp_path / "bigquery-BigQueryTable.yaml"
    path.write_text(yaml.safe_dump({"before": [DATASET], "spec": {**IN_DATASET, **spec}, "changes": changes}))
    return path, changes


async def test_each_form_is_created_and_rests(form):
    await cycle.test_create_rests_and_is_deleted(form[0])


async def test_each_form_is_adopted(form):
    await cycle.test_adopted_into_a_fresh_store_it_verifies_without_a_difference(form[0])


async def test_each_forms_drift_is_corrected(form):
    for field in form[1]:
        await cycle.test_drift_of_a_field_is_reported_with_its_path_and_corrected(form[0], field)


async def test_a_view_is_made_without_its_schema_which_follows():
    world = World()
    await cycle.build(world, {"before": [DATASET], "spec": {**IN_DATASET, **FORMS["view"][0]}}, TABLE)
    (insert,) = [c.body for c in world.gcp.calls if c.operation == "bigquery.tables.insert"]
    assert "schema" not in insert
    assert insert["tableReference"] == {"projectId": "shop-prod", "datasetId": "orders", "tableId": "sample"}
    assert [op for op in world.gcp.mutations if "tables" in op] == ["bigquery.tables.insert", "bigquery.tables.patch"]
    held = world.gcp.get("bigquery.googleapis.com/projects/shop-prod/datasets/orders/tables/sample")
    assert held["schema"]["fields"][0]["description"] == "of the order"


async def test_a_table_is_in_the_project_of_its_dataset():
    world = World()
    world.gcp.put("bigquery.googleapis.com/projects/lake/datasets/raw", {})
    key = await world.apply(cycle.manifest(TABLE, {"datasetRef": {"external": "projects/lake/datasets/raw"}}))
    await world.settle(key)
    assert (await world.condition(key))["status"] == "True", await world.condition(key)
    assert (await world.get(key))["status"]["externalRef"] == "projects/lake/datasets/raw/tables/sample"
    (insert,) = [c.body for c in world.gcp.calls if c.operation == "bigquery.tables.insert"]
    assert insert["tableReference"]["projectId"] == "lake"
