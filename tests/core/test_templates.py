"""Names with holes: filled in, read back, and bared of what Google writes in front of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.core.templates import fill_name, holes, nested, plain_name, read_name, value_of

TOPIC, PROXY = "projects/{project}/topics/{spec.resourceID}", "projects/{project}/{spec.location:scope}/targetTcpProxies/{spec.resourceID}"
KEY, TABLE = "{spec.keyRingRef}/cryptoKeys/{spec.resourceID}", "{project}.{spec.datasetRef:last}.{spec.resourceID}"
ACCOUNT = "projects/{project}/serviceAccounts/{spec.resourceID}@{project}.iam.gserviceaccount.com"
RING = "projects/p/locations/eu/keyRings/r"


def context(project: str = "p", **spec) -> dict:
    return {"project": project, "spec": spec}


def test_the_holes_of_a_template():
    assert [holes(t) for t in (TOPIC, PROXY, TABLE, "")] == [["project", "spec.resourceID"], ["project", "spec.location", "spec.resourceID"],
                                                            ["project", "spec.datasetRef", "spec.resourceID"], []]


@pytest.mark.parametrize(("template", "given", "name"), [
    pytest.param(TOPIC, context(resourceID="t"), "projects/p/topics/t", id="plain values"),
    pytest.param(TOPIC, context(project="", resourceID="t"), "", id="nothing where a value is empty"),
    pytest.param(TOPIC, context(), "", id="nothing where a value is not known"),
    pytest.param(TOPIC, {}, "", id="nothing where nothing is known"),
    pytest.param(KEY, context(keyRingRef={"external": RING}, resourceID="k"), f"{RING}/cryptoKeys/k", id="a reference stands for what it refers to"),
    pytest.param(KEY, context(keyRingRef={"external": f"//cloudkms.googleapis.com/v1/{RING}"}, resourceID="k"), f"{RING}/cryptoKeys/k", id="a reference by its URL"),
    pytest.param(KEY, context(keyRingRef={"name": "r"}, resourceID="k"), "", id="a reference that is not resolved is not known"),
    pytest.param(TABLE, context(datasetRef={"external": "projects/p/datasets/d"}, resourceID="t"), "p.d.t", id="the last word of a path"),
    pytest.param(TABLE, context(datasetRef={"external": "d"}, resourceID="t"), "p.d.t", id="the last word of one word"),
    pytest.param(PROXY, context(location="global", resourceID="x"), "projects/p/global/targetTcpProxies/x", id="the scope global"),
    pytest.param(PROXY, context(location="eu-west1", resourceID="x"), "projects/p/regions/eu-west1/targetTcpProxies/x", id="the scope of a region"),
    pytest.param(PROXY, context(location="projects/p/regions/eu-west1", resourceID="x"), "projects/p/regions/eu-west1/targetTcpProxies/x", id="the scope of a region's name"),
    pytest.param(PROXY, context(location="", resourceID="x"), "", id="no scope"),
    pytest.param(ACCOUNT, context(resourceID="r"), "projects/p/serviceAccounts/r@p.iam.gserviceaccount.com", id="one value in two holes"),
    pytest.param("gs://{name}", {"name": "{project}"}, "gs://{project}", id="a value that looks like a hole stays a value"),
    pytest.param("{n}", {"n": 0}, "0", id="zero is a value"),
    pytest.param("as it is", {}, "as it is", id="no holes"),
])
def test_filled_in(template, given, name):
    assert fill_name(template, given) == name


@pytest.mark.parametrize(("template", "name", "values"), [
    pytest.param(TOPIC, "projects/p/topics/t", {"project": "p", "spec.resourceID": "t"}, id="plain"),
    pytest.param(TOPIC, "//pubsub.googleapis.com/projects/p/topics/t", {"project": "p", "spec.resourceID": "t"}, id="with the service in front"),
    pytest.param(TOPIC, "https://pubsub.googleapis.com/v1/projects/p/topics/t", {"project": "p", "spec.resourceID": "t"}, id="a URL"),
    pytest.param(TOPIC, "projects/p/subscriptions/t", None, id="another collection"),
    pytest.param(TOPIC, "projects/p/topics/a/b", None, id="a word too many"),
    pytest.param(TOPIC, "projects/p/topics/", None, id="an empty word"),
    pytest.param(TOPIC, "x/projects/p/topics/t", None, id="something in front"),
    pytest.param(TOPIC, "t", None, id="a bare id"),
    pytest.param(TOPIC, "", None, id="nothing"),
    pytest.param("a.b/{n}", "axb/1", None, id="a dot is a dot"),
    pytest.param(KEY, f"{RING}/cryptoKeys/k", {"spec.keyRingRef": RING, "spec.resourceID": "k"}, id="a parent by its whole name"),
    pytest.param(PROXY, "projects/p/global/targetTcpProxies/x", {"project": "p", "spec.location": "global", "spec.resourceID": "x"}, id="the scope global"),
    pytest.param(PROXY, "https://www.googleapis.com/compute/v1/projects/p/regions/r1/targetTcpProxies/x",
                 {"project": "p", "spec.location": "r1", "spec.resourceID": "x"}, id="the scope of a region, in a link"),
    pytest.param(PROXY, "projects/p/zones/z/targetTcpProxies/x", None, id="a scope that is neither"),
    pytest.param(ACCOUNT, "projects/p/serviceAccounts/r@p.iam.gserviceaccount.com", {"project": "p", "spec.resourceID": "r"}, id="one value in two holes"),
    pytest.param(ACCOUNT, "projects/p/serviceAccounts/r@q.iam.gserviceaccount.com", None, id="two values for one hole"),
])
def test_read_back(template, name, values):
    assert read_name(template, name) == values


@pytest.mark.parametrize(("name", "bare"), [
    pytest.param("projects/p/topics/t", "projects/p/topics/t", id="bare already"),
    pytest.param("//pubsub.googleapis.com/projects/p/topics/t", "projects/p/topics/t", id="the full resource name"),
    pytest.param("https://pubsub.googleapis.com/v1/projects/p", "projects/p", id="a host and a version"),
    pytest.param("http://127.0.0.1:8080/v1/projects/p", "projects/p", id="a host with a port"),
    pytest.param("https://run.googleapis.com/v2/projects/p", "projects/p", id="a second version"),
    pytest.param("https://sqladmin.googleapis.com/sql/v1beta4/projects/p", "projects/p", id="a beta version"),
    *(pytest.param(f"https://www.googleapis.com/{api}/v1/projects/p", "projects/p", id=f"{api} in the path") for api in ("compute", "dns", "bigquery", "sql")),
    pytest.param("https://compute.googleapis.com/compute/v1/projects/p", "projects/p", id="compute, twice"),
    pytest.param("https://www.googleapis.com/compute/beta/projects/p", "projects/p", id="compute's beta, as its links have it"),
    pytest.param("//storage.googleapis.com/bucket", "bucket", id="a bucket"),
    pytest.param("projects/https://x/y", "projects/https://x/y", id="a URL inside is a value"),
    pytest.param("v1/projects/p", "v1/projects/p", id="a version without a host is a word"),
    pytest.param("", "", id="nothing"),
])
def test_the_bare_name(name, bare):
    assert plain_name(name) == bare
    assert plain_name(bare) == bare


def test_values_become_a_context():
    assert nested({"project": "p", "spec.location": "x", "spec.resourceID": "r"}) == {"project": "p", "spec": {"location": "x", "resourceID": "r"}}
    assert nested({}) == {}


@pytest.mark.parametrize(("path", "value"), [
    pytest.param("project", "p", id="a value"), pytest.param("spec.aRef", "x", id="a reference"), pytest.param("spec.bRef", None, id="a reference by name"),
    pytest.param("spec.list", [1], id="a list"), pytest.param("spec.none.at.all", None, id="nothing"),
])
def test_values_by_path(path, value):
    assert value_of({"project": "p", "spec": {"aRef": {"external": "x"}, "bRef": {"name": "y"}, "list": [1]}}, path) == value


WORD = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
VALUES = {"project": WORD, "spec.resourceID": WORD, "spec.location": st.one_of(st.just("global"), WORD),
          "spec.keyRingRef": st.builds("projects/{}/locations/{}/keyRings/{}".format, WORD, WORD, WORD)}


@settings(deadline=None, derandomize=True, database=None)
@given(st.sampled_from([TOPIC, PROXY, KEY, ACCOUNT]), st.fixed_dictionaries(VALUES),
       st.sampled_from(["{}", "//x.googleapis.com/{}", "https://x.googleapis.com/v1/{}", "https://www.googleapis.com/compute/v1/{}"]))
def test_what_is_filled_in_is_read_back(template, values, written):
    values = {n: values[n] for n in holes(template)}
    name = fill_name(template, nested(values))
    assert read_name(template, written.format(name)) == values
    assert fill_name(template, nested(read_name(template, written.format(name)))) == name
