"""Carries out the steps of `ticklake._core`: `sync` with threads, `aio` with asyncio."""
