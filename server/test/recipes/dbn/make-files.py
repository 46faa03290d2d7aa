"""Makes the DBN files of the tests, and the CSV that the vendor's own library makes of them.

pip install databento-dbn==0.72.0; python make-files.py
"""

import io
import struct
from datetime import date
from types import SimpleNamespace

import databento_dbn as dbn

SECOND = 1_000_000_000
START = 1_710_108_000 * SECOND  # 2024-03-10T22:00:00Z
MAPPINGS = {
    "ESM4": [(date(2024, 3, 10), date(2024, 3, 11), 7), (date(2024, 3, 11), date(2024, 3, 12), 8)],
    "NQM4": [(date(2024, 3, 10), date(2024, 3, 12), 9)],
}


def metadata(schema, version):
    mappings = [
        SimpleNamespace(
            raw_symbol=symbol,
            intervals=[
                SimpleNamespace(start_date=start, end_date=end, symbol=str(number))
                for start, end, number in intervals
            ],
        )
        for symbol, intervals in MAPPINGS.items()
    ]
    return dbn.Metadata(
        dataset="GLBX.MDP3",
        start=START,
        end=START + 86_400 * SECOND,
        stype_in=dbn.SType.RAW_SYMBOL,
        stype_out=dbn.SType.INSTRUMENT_ID,
        schema=schema,
        symbols=list(MAPPINGS),
        partial=["NQM4"],
        not_found=["XXX"],
        mappings=mappings,
        version=version,
    )


def trades():
    sides = [dbn.Side.ASK, dbn.Side.BID, dbn.Side.NONE]
    for n in range(6):
        at = START + n * 3600 * SECOND + n * 123_456_789
        yield dict(
            publisher_id=1,
            instrument_id=9 if n % 3 == 2 else (7 if n < 2 else 8),
            ts_event=at,
            price=5_123_250_000_000 + n * 250_000_000 if n != 4 else -37_630_000_001,
            size=n + 1,
            action=dbn.Action.TRADE,
            side=sides[n % 3],
            depth=0,
            ts_recv=at + 111,
            flags=0,
            ts_in_delta=17_854 - n * 9000,
            sequence=n,
        )


def options():
    for n, each in enumerate(trades()):
        yield dict(
            publisher_id=30,
            instrument_id=each["instrument_id"],
            ts_event=each["ts_event"],
            ts_recv=each["ts_recv"],
            raw_symbol=f"{'BRKB' if n > 3 else 'A':<6}240315{'CP'[n % 2]}{170_500 + n * 1000:08}".encode(),
            instrument_class=b"CP"[n % 2 : n % 2 + 1],
            security_update_action=b"A" if n != 3 else b"D",
            expiration=dbn.UNDEF_TIMESTAMP if n == 5 else START + 5 * 86_400 * SECOND,
            strike_price=dbn.UNDEF_PRICE if n == 4 else 170_500_000_000 + n * 1_000_000_000,
            underlying=b"BRK.B" if n > 3 else b"A",
        )


def futures():
    """The ids of the metadata; 7 is another contract on the second day."""
    midnight = 1_710_115_200 * SECOND  # 2024-03-11T00:00:00Z
    for at, number, symbol in [
        (START - 3600 * SECOND, 7, b"ESM4"),
        (START - 3600 * SECOND, 9, b"NQM4"),
        (midnight, 7, b"RTYM4"),
        (midnight, 8, b"ESM4"),
        (midnight, 9, b"NQM4"),
    ]:
        yield dict(
            publisher_id=1,
            instrument_id=number,
            ts_event=at,
            ts_recv=at,
            raw_symbol=symbol,
            instrument_class=b"F",
            security_update_action=b"A",
            min_price_increment=250_000_000 if number != 9 else dbn.UNDEF_PRICE,
            expiration=START + 100 * 86_400 * SECOND,
            activation=START - number * 86_400 * SECOND if number != 9 else dbn.UNDEF_TIMESTAMP,
            unit_of_measure_qty=50_000_000_000,
            currency=b"USD",
            exchange=b"XCME",
            asset=symbol[:-2],
            unit_of_measure=b"IPNT",
            strike_price=dbn.UNDEF_PRICE,
            underlying=b"",
        )


def definitions(version, given):
    """The vendor's classes of versions 1 and 2 take 49 more values, so records are packed here."""
    kind = {1: dbn.InstrumentDefMsgV1, 2: dbn.InstrumentDefMsgV2, 3: dbn.InstrumentDefMsg}[version]
    codes = {"u1": "B", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q"}
    form = "<" + "".join(codes.get(code, f"{code[1:]}s") for _, code in kind._dtypes)
    for each in given:
        values = dict(
            each,
            length=struct.calcsize(form) // 4,
            rtype=int(dbn.RType.INSTRUMENT_DEF),
            user_defined_instrument=b"N",
            match_algorithm=b"U",
        )
        empty = lambda code: b"" if code[0] == "S" else 0
        yield struct.pack(form, *(values.get(name, empty(code)) for name, code in kind._dtypes))


def records(venue, schema, version):
    if schema == dbn.Schema.DEFINITION:
        return list(definitions(version, futures() if venue == "glbx-mdp3" else options()))
    if schema == dbn.Schema.TRADES:
        return [dbn.TradeMsg(**each) for each in trades()]
    if schema == dbn.Schema.MBP_1:
        level = lambda n: dbn.BidAskPair(
            bid_px=dbn.UNDEF_PRICE if n == 1 else 5_123_000_000_000,
            ask_px=5_123_500_000_000 + n,
            bid_sz=n,
            ask_sz=4_000_000_000,
            bid_ct=1,
            ask_ct=2,
        )
        return [dbn.MBP1Msg(**each, levels=level(n)) for n, each in enumerate(trades())]
    return [
        dbn.OHLCVMsg(
            rtype=dbn.RType.OHLCV_1M,
            publisher_id=1,
            instrument_id=each["instrument_id"],
            ts_event=START + n * 3600 * SECOND,
            open=each["price"],
            high=each["price"] + 1_000_000_000,
            low=each["price"] - 1_000_000_000,
            close=dbn.UNDEF_PRICE if n == 3 else each["price"],
            volume=2**53 + 1 if n == 2 else n,
        )
        for n, each in enumerate(trades())
    ]


for venue, schema in (
    ("glbx-mdp3", dbn.Schema.TRADES),
    ("glbx-mdp3", dbn.Schema.MBP_1),
    ("glbx-mdp3", dbn.Schema.OHLCV_1M),
    ("glbx-mdp3", dbn.Schema.DEFINITION),
    ("opra-pillar", dbn.Schema.DEFINITION),
):
    for version in (1, 2, 3):
        data = bytes(metadata(schema, version)) + b"".join(
            map(bytes, records(venue, schema, version))
        )
        name = f"{venue}-20240310-v{version}.{schema}"
        with open(f"{name}.dbn", "wb") as file:
            file.write(data)
    text = io.BytesIO()
    transcoder = dbn.Transcoder(
        text,
        dbn.Encoding.CSV,
        dbn.Compression.NONE,
        map_symbols=True,
        upgrade_policy=dbn.VersionUpgradePolicy.AS_IS,
    )
    transcoder.write(data)
    transcoder.flush()
    with open(f"{venue}-20240310.{schema}.csv", "wb") as file:
        file.write(text.getvalue())
