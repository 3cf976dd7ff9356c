"""Seeded faults: kill, power cut, full disk, contention. Each check counts what was lost."""
