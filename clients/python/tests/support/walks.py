"""What pages for owners take for granted, as commands: first, and before a block that begins so."""

DEMO = 'cp -r "$DEMO" .ticklake\n'
OWN = """
(umask 077 && openssl rand -hex 16 > owner-password)
ticklake init --email you@example.com --account Ours --password-file owner-password
"""
# Of the demo's server, which the page's own home may stand in for later.
TICKS = "ticklake get eq_taq TradeDate=latest Ticker.in=AVQX,BZOQ --output ticks.csv\n"
BARS = "ticklake get eq_daily_ohlc TradeDate=latest --output bars.csv\n"
SERVE = """
ticklake key create 1 --name walk --expires-in 1d --secret-file walk-key
ticklake serve
export TICKLAKE_URL=http://127.0.0.1:8080 TICKLAKE_KEY=$(cat walk-key)
"""
ADMIN = """
ticklake identity create --name Loader --admin
ticklake key create 2 --name load --expires-in 1d --secret-file load-key
ticklake serve
export KEY=$(cat load-key)
"""

WALKS: dict[str, dict[str, str]] = {
    "docs/administration.md": {
        "$ ticklake rule add-several": "for n in 1 2; do ticklake identity create --name $n; done",
        "curl": f"""
            {TICKS}
            ticklake ingest eq_taq ticks.csv
            sed 's/,[0-9.]*,100,/,1.5,100,/' ticks.csv > wrong.csv
            ticklake ingest eq_taq wrong.csv
            ticklake serve
            export KEY=$(cat nightly.key)""",
    },
    "docs/backup.md": {
        "": 'mkdir /srv /mnt\ncp -r "$DEMO" /srv/ticklake\nexport TICKLAKE_HOME=/srv/ticklake'
    },
    "docs/command-line.md": {
        "": DEMO,
        "ticklake init": "mv .ticklake kept",
        "$ ticklake ingest": """
            rm -r .ticklake
            mv kept .ticklake
            ticklake get eq_taq TradeDate=latest --output monday.csv
            sed '$d' monday.csv | gzip > monday.csv.gz
            ticklake get eq_daily_ohlc Ticker=AVQX --columns TradeDate --sort=-TradeDate --limit 2 > days
            day=$(tail -n 1 days)
            ticklake get eq_taq TradeDate=$day --output whole.parquet
            python3 -c "import pyarrow.parquet as p
t = p.read_table('whole.parquet')
p.write_table(t[1:], 'tuesday.parquet')"
            mkdir -p /srv/feeds/eq_taq""",
        "$ ticklake watch": "sed '2s/,[0-9]*$/,4/; $d' monday.csv | gzip > /srv/feeds/eq_taq/monday.csv.gz",
        "$ export TICKLAKE_KEY": 'mkdir .ticklake/demo && cp "$DEMO/demo-key" .ticklake/demo',
        "$ ticklake receipt verify": f"""
            export TICKLAKE_PUBLIC_URL=https://data.example.com
            {SERVE}
            curl -s -H "X-API-KEY: $TICKLAKE_KEY" -D page.headers -o page.json \\
              "$TICKLAKE_URL/v1/data/us-equity/eq-daily-ohlc?receipt=true" """,
        "$ ticklake lake verify": """
            cd .ticklake/lake/eq_taq
            for part in *; do printf X | dd of=$part bs=1 seek=100 conv=notrunc status=none; done
            cp $part 2026-11-17-90aa41c2be07.parquet""",
        "$ ticklake backup": "rm -r .ticklake\n" + DEMO,
    },
    "docs/console.md": {"": DEMO},
    "docs/derive.md": {
        "cat > ticks.csv": OWN
        + "for name in eq_trades_1min eq_daily_ohlc_adj; do ticklake rule add 1 --dataset $name; done",
        "ticklake get": SERVE,
    },
    "docs/ingest.md": {
        "": OWN + TICKS + "ticklake ingest eq_taq ticks.csv\n(head -n 2 ticks.csv) > correction.csv",
        "ticklake ingest eq_taq 'feeds": """
            mkdir -p feeds/2024-03-11
            gzip -c ticks.csv > feeds/2024-03-11/trades.csv.gz""",
        "$ ticklake ingest eq_taq monday.csv": """
            sed '7s/,[0-9]*,/,12a,/; 9s/.*/2024-03-11,AVQX/' ticks.csv > monday.csv""",
        "$ ticklake ingest eq_daily_ohlc monday.csv": BARS
        + """
            sed -E '7s/^(([^,]*,){4})[^,]*/\\10.01/; 9s/^(([^,]*,){4})[^,]*/\\10.01/' bars.csv > monday.csv
            grep AVQX bars.csv >> monday.csv""",
        "curl": "gzip -c ticks.csv > monday.csv.gz\n" + ADMIN,
    },
    "docs/lake.md": {"": DEMO},
    "docs/nights.md": {
        "": OWN + 'mkdir /srv && cp -r "$SAMPLES/massive-stocks-day" /srv/feeds && rm /srv/feeds/golden.csv'
    },
    "docs/publications.md": {
        "": f"""
            {OWN}
            head=TradeDate,EventDateTime,EventType,Ticker,ASID,Price,Quantity,Exchange,ConditionCode
            row() {{ echo "2024-03-$1,2024-03-$1T10:00:00-04:00,TRADE,$2,1,$3,100,NYSE,1"; }}
            (echo $head; row 11 ABCD 10.5; row 12 BAD 1) > ticks.csv
            (echo $head; row 11 ABCD 9) > wrong.csv
            ticklake ingest eq_taq ticks.csv
            ticklake ingest eq_taq wrong.csv
            (echo $head; row 11 ABCD 10.6; row 12 BAD 2) | gzip > ticks.csv.gz""",
        "ticklake publication begin": BARS,
    },
    "docs/quickstart/own-data.md": {},
    "docs/receipts.md": {"": DEMO, "curl": SERVE},
    "docs/vendor-files.md": {
        "": f"""
            {OWN}
            cp "$SAMPLES/alpha-vantage-daily/daily_IBM.csv" .
            echo date,symbol,open,high,low,close,volume > days.csv
            echo 2024-04-15,ABCD,10,11,9,10.5,1000 >> days.csv
            mkdir feeds && gzip -c "$SAMPLES/massive-stocks-day/2024-03-11.csv" > feeds/2024-03-11.csv.gz
            echo ASID,Ticker,StartDate,EndDate > symbols.csv
            echo 1001,ABCD,2020-01-01, >> symbols.csv""",
    },
    "docs/rules/adjustment-factors.md": {
        "": f"""
            {DEMO}
            echo SecId,ASID,Ticker,EffectiveDate,AdjustmentFactor,AdjustmentReason,EventId > marks.csv
            echo 1010000000700001,1010000000700001,AVQX,2026-11-20,0.5,Subdiv,-1 >> marks.csv""",
    },
}
