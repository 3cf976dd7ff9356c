import numpy as np
import pytest
from numpy.typing import NDArray

from sharpwave.index.codes import BLOCK_ROWS, Codes, _cut, rotation


def clustered(count: int, dimension: int, seed: int) -> NDArray[np.float32]:
    random = np.random.default_rng(seed)
    centres = random.standard_normal((50, dimension))
    vectors = centres[random.integers(0, 50, count)] + random.standard_normal((count, dimension))
    return unit(vectors)


def sparse(count: int, dimension: int, seed: int) -> NDArray[np.float32]:
    """Like hashed n-grams: a few whole numbers, most dimensions zero."""
    random = np.random.default_rng(seed)
    words = (random.random((500, dimension)) < 0.02) * random.choice([-1, 1], (500, dimension))
    return unit(words[random.zipf(1.3, (count, 6)) % 500].sum(1) + 1e-9)


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, np.float32)


def codes_of(vectors: NDArray[np.float32]) -> Codes:
    codes = Codes(vectors.shape[1])
    codes.extend([vector.astype("<f2").tobytes() for vector in vectors])
    return codes


@pytest.mark.parametrize("dimension", [1, 2, 64, 100, 384, 1000])
def test_a_rotation_keeps_every_angle(dimension: int) -> None:
    vectors = clustered(20, dimension, seed=1)
    rotated = rotation(dimension).apply(vectors)
    assert rotated @ rotated.T == pytest.approx(vectors @ vectors.T, abs=1e-5)


@pytest.mark.parametrize("dimension", [100, 384])
def test_the_scan_counts_differing_bits(dimension: int) -> None:
    codes = codes_of(clustered(300, dimension, seed=2))
    stored = codes._signs.values
    hidden = np.arange(300) % 3 == 0
    distances = codes._scan(stored[:, 7], ~hidden)
    naive = [
        sum(int(a ^ b).bit_count() for a, b in zip(c, stored[:, 7], strict=True)) for c in stored.T
    ]
    assert distances[~hidden].tolist() == np.array(naive)[~hidden].tolist()
    assert (distances[hidden] == dimension + 1).all()


@pytest.mark.parametrize("sampled", [0, 400])
def test_the_cut_is_where_enough_rows_are_near(sampled: int) -> None:
    distances = np.random.default_rng(0).binomial(384, 0.5, 3 * BLOCK_ROWS).astype(np.uint16)
    distances[::4] = sampled
    ordered = np.sort(distances)
    for count in (1, 50, 1600, 60_000, len(distances)):
        assert _cut(distances, count) == ordered[count - 1]


@pytest.mark.parametrize("make", [clustered, sparse])
def test_candidates_hold_the_true_nearest(make: type) -> None:
    vectors = make(5000, 384, seed=3)
    codes, numbers = codes_of(vectors), np.arange(5000)
    hits = 0
    for query in make(50, 384, seed=3):
        true = set(np.argsort(-(vectors @ query))[:10].tolist())
        hits += len(true & set(codes.nearest(query, None, numbers, 1600, 400).tolist()))
    assert hits / 500 >= 0.99


def test_only_allowed_rows_compete_and_all_that_are_asked_for_come() -> None:
    vectors = clustered(BLOCK_ROWS + 5000, 64, seed=4)
    codes, numbers = codes_of(vectors), np.arange(len(vectors))
    allowed = numbers % 100 == 0
    rows = codes.nearest(vectors[1], allowed, numbers, shortlist=200, count=50)
    assert len(set(rows.tolist())) == 50
    assert allowed[rows].all()


def test_rows_without_a_usable_vector_are_never_near() -> None:
    codes = Codes(3)
    good, zero = np.array([1, 2, 3], "<f2"), np.zeros(3, "<f2")
    broken = np.array([1, np.nan, 3], "<f2")
    codes.extend([None, zero.tobytes(), broken.tobytes(), b"\0\0", b"", good.tobytes()])
    near = codes.nearest(good.astype(np.float32), None, np.arange(6), shortlist=10, count=10)
    assert near.tolist() == [5]


def test_equally_near_rows_yield_to_the_newest() -> None:
    codes = codes_of(np.tile(clustered(1, 64, seed=5), (500, 1)))
    numbers = np.random.default_rng(0).permutation(500)
    query = clustered(1, 64, seed=6)[0]
    for shortlist, count in ((20, 20), (400, 20)):
        rows = codes.nearest(query, None, numbers, shortlist, count)
        assert sorted(numbers[rows].tolist()) == list(range(480, 500))
