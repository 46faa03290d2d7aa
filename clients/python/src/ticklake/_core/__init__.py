"""The rules of the client, written once: generators that say what to do next and do nothing.

They yield the steps of `steps.py`; a driver of `ticklake._drive` carries them out, with threads or with
asyncio, and sends back what came of them.
"""
