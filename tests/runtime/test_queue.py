"""The work queue, on virtual time: each key once, users before retries before resync, what is due when it is due."""

from __future__ import annotations

import asyncio

import pytest

from holdfast.model.objects import ObjectKey
from holdfast.runtime.queue import Priority, WorkQueue
from tests.runtime.virtual import run


def key(name: str) -> ObjectKey:
    return ObjectKey("sqs.services.k8s.aws", "Queue", "default", name)


A, B, C = key("a"), key("b"), key("c")


async def drain(queue: WorkQueue) -> list[str]:
    """What can be taken without waiting, each finished at once."""
    out = []
    while len(queue):
        taken = await queue.take()
        queue.finish(taken)
        out.append(taken.name)
    return out


def now() -> float:
    return asyncio.get_running_loop().time()


def test_a_key_is_held_once():
    async def story():
        queue = WorkQueue()
        for _ in range(3):
            queue.add(A)
        queue.add(B)
        assert len(queue) == 2
        return await drain(queue)

    assert run(story()) == ["a", "b"]


def test_users_come_before_retries_before_resync():
    async def story():
        queue = WorkQueue()
        queue.add(C, Priority.RESYNC)
        queue.add(B, Priority.RETRY)
        queue.add(A, Priority.USER)
        return await drain(queue)

    assert run(story()) == ["a", "b", "c"]


def test_within_a_priority_first_come_first_served():
    async def story():
        queue = WorkQueue()
        for name in "dbac":
            queue.add(key(name), Priority.RESYNC)
        return await drain(queue)

    assert run(story()) == list("dbac")


def test_a_more_urgent_add_moves_a_key_forward_and_a_less_urgent_one_does_not_move_it_back():
    async def story():
        queue = WorkQueue()
        queue.add(A, Priority.RESYNC)
        queue.add(B, Priority.RETRY)
        queue.add(A, Priority.USER)
        queue.add(A, Priority.RESYNC)
        return await drain(queue)

    assert run(story()) == ["a", "b"]


def test_a_key_added_while_busy_runs_again_and_never_twice_at_once():
    async def story():
        queue = WorkQueue()
        queue.add(A)
        assert await queue.take() == A
        queue.add(A, Priority.RESYNC)
        queue.add(A, Priority.USER)
        queue.add(B, Priority.RETRY)
        assert await queue.take() == B, "a is busy"
        queue.finish(B)
        queue.finish(A)
        assert len(queue) == 1
        again = await queue.take()
        queue.finish(again)
        return again, len(queue)

    assert run(story()) == (A, 0)


def test_what_was_added_while_busy_keeps_its_best_priority():
    async def story():
        queue = WorkQueue()
        queue.add(A)
        await queue.take()
        queue.add(A, Priority.RESYNC)
        queue.add(A, Priority.USER)
        queue.add(B, Priority.RETRY)
        queue.finish(A)
        return await drain(queue)

    assert run(story()) == ["a", "b"]


def test_a_key_comes_when_it_is_due():
    async def story():
        queue = WorkQueue()
        queue.add_later(A, 600)
        queue.add_later(B, 30)
        out = []
        for _ in range(2):
            taken = await queue.take()
            queue.finish(taken)
            out.append((taken.name, now()))
        return out

    assert run(story()) == [("b", pytest.approx(30)), ("a", pytest.approx(600))]


def test_the_earliest_time_wins():
    async def story():
        queue = WorkQueue()
        queue.add_later(A, 600)
        queue.add_later(A, 5)
        queue.add_later(A, 60)
        taken = await queue.take()
        queue.finish(taken)
        at = now()
        queue.add_later(B, 10_000)
        return at, (await queue.take()).name, now()

    assert run(story()) == (pytest.approx(5), "b", pytest.approx(10_005)), "and the later times are forgotten"


def test_a_shorter_wait_wakes_a_worker_that_waits_for_a_longer_one():
    async def story():
        queue = WorkQueue()
        queue.add_later(A, 600)
        worker = asyncio.ensure_future(queue.take())
        await asyncio.sleep(1)
        queue.add_later(B, 5)
        return (await worker).name, now()

    assert run(story()) == ("b", pytest.approx(6))


def test_an_add_wakes_a_worker_that_waits():
    async def story():
        queue = WorkQueue()
        worker = asyncio.ensure_future(queue.take())
        await asyncio.sleep(3)
        queue.add(A)
        return (await worker).name, now()

    assert run(story()) == ("a", pytest.approx(3))


def test_two_workers_that_wait_take_two_keys():
    async def story():
        queue = WorkQueue()
        workers = [asyncio.ensure_future(queue.take()) for _ in range(2)]
        await asyncio.sleep(1)
        queue.add(A)
        queue.add(B)
        return {k.name for k in await asyncio.gather(*workers)}

    assert run(story()) == {"a", "b"}


def test_what_is_due_comes_after_users_changes_and_before_a_resync():
    async def story():
        queue = WorkQueue()
        queue.add_later(B, 5)
        await asyncio.sleep(10)
        queue.add(C, Priority.RESYNC)
        queue.add(A, Priority.USER)
        return await drain(queue)

    assert run(story()) == ["a", "b", "c"]


def test_what_falls_due_while_busy_runs_afterwards():
    async def story():
        queue = WorkQueue()
        queue.add(A)
        await queue.take()
        queue.add_later(A, 5)
        other = asyncio.ensure_future(queue.take())
        await asyncio.sleep(10)
        assert not other.done()
        queue.finish(A)
        return (await other).name, now()

    assert run(story()) == ("a", pytest.approx(10))


def test_a_forgotten_key_does_not_come():
    async def story():
        queue = WorkQueue()
        queue.add_later(A, 5)
        queue.add_later(B, 50)
        queue.forget(A)
        return (await queue.take()).name, now()

    assert run(story()) == ("b", pytest.approx(50))


def test_what_is_due_later_does_not_count_as_work():
    async def story():
        queue = WorkQueue()
        queue.add_later(A, 600)
        return len(queue)

    assert run(story()) == 0


def test_a_worker_that_is_cancelled_while_it_waits_takes_nothing_with_it():
    async def story():
        queue = WorkQueue()
        worker = asyncio.ensure_future(queue.take())
        await asyncio.sleep(1)
        queue.add(A)
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)
        return (await queue.take()).name

    assert run(story()) == "a"


def test_ten_thousand_keys_are_each_taken_once():
    async def story():
        queue = WorkQueue()
        for n in range(10_000):
            queue.add_later(key(str(n)), 1 + n % 97)
            queue.add(key(str(n)), Priority(n % 3))
        first = await drain(queue)
        await asyncio.sleep(200)
        waiting = asyncio.ensure_future(queue.take())
        await asyncio.sleep(0)
        queue.finish(await waiting)
        return first, 1 + len(await drain(queue))

    first, second = run(story())
    assert len(first) == len(set(first)) == 10_000
    assert second == 10_000
