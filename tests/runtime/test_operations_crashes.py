"""A crash before or after any call and any write of a create, update or delete that the cloud carries out for minutes. All points are tried."""

from __future__ import annotations

import itertools

from tests.properties.test_crashes import Crash, Fuse
from tests.runtime.slow import CREATE, FIREWALL, MORE, PATCH, Slow, both, changed


def with_fuse(world: Slow, fuse: Fuse) -> None:
    """Both boundaries: the wire, and the store's writes."""
    client = world.engine.clouds["gcp"]._client
    transport, write = client._transport, type(world.store)._write

    class Wire:
        async def send(self, request):
            fuse.burn()
            answer = await transport.send(request)
            fuse.burn()
            return answer

    async def guarded(work):
        fuse.burn()
        result = await write(world.store, work)
        fuse.burn()
        return result

    client._transport, world.store._write = Wire(), guarded


async def settled(world: Slow, key) -> None:
    """Until nothing more is due: an hour is enough for anything."""
    for _ in range(60):
        result = await world.step(key)
        if result.is_gone or result.retry_in is None:
            return
        world.clock.advance(max(result.retry_in, 30))


async def crash_at(step: int, world: Slow, key) -> bool:
    """Work until the fuse burns down; False when all was done before."""
    with_fuse(world, Fuse(step))
    burnt = False
    try:
        await settled(world, key)
    except* Crash:
        burnt = True
    finally:
        del world.store._write
        world.restart()
    return burnt


async def rests(world: Slow, key, step: int) -> None:
    await settled(world, key)
    assert (await world.condition(key))["reason"] == "UpToDate", (step, await world.condition(key))
    assert not {"intent", "operation", "settling", "specOverrides"} & set(await world.status(key)), step
    writes = len(world.gcp.mutations)
    await world.step(key)
    assert len(world.gcp.mutations) == writes, f"after a crash at step {step} it does not rest"


@both
async def test_a_crash_at_any_point_of_a_create(body):
    for step in itertools.count(1):
        world = Slow()
        key = await world.apply(body)
        crashed = await crash_at(step, world, key)
        await rests(world, key, step)
        made = [m for m in world.gcp.names() if m.endswith("/it")]
        assert len(made) == 1, (step, made)
        if not crashed:
            assert world.verbs(CREATE[body["kind"]]) == [CREATE[body["kind"]]]
            assert step > 8, "the fuse never burnt"
            return


@both
async def test_a_crash_at_any_point_of_an_update(body):
    for step in itertools.count(1):
        world = Slow()
        key = await world.made(body)
        await world.apply(changed(body))
        crashed = await crash_at(step, world, key)
        await world.apply(changed(body, **MORE[body["kind"]]))
        await rests(world, key, step)
        wire = {"priority": 7, "displayName": "Most"}
        assert all(world.live(body)[k] == wire[k] for k in MORE[body["kind"]]), step
        if not crashed:
            assert world.verbs(PATCH) == [PATCH, PATCH]
            return


async def test_a_crash_at_any_point_of_a_deletion():
    for step in itertools.count(1):
        world = Slow()
        key = await world.made(FIREWALL)
        await world.store.delete(key)
        crashed = await crash_at(step, world, key)
        await settled(world, key)
        assert await world.get(key) is None, step
        assert world.live(FIREWALL) is None, step
        if not crashed:
            return
