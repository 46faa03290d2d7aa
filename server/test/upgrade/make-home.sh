#!/bin/sh
# make-home.sh VERSION: has the `ticklake` on the path, of that release, fill a home as its users do, and keeps the home
# and the answers of that release in home-VERSION.tar.gz beside this file. A home that is kept is never made again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ "$(ticklake --version)" = "$1" ]
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p home/datasets answers
export TICKLAKE_HOME="$folder/home" PORT=18099 TICKLAKE_OPERATION_PORT=0

echo 'a password of the kept home' > password
ticklake init --email owner@example.com --account Ours --password-file password
cat > home/datasets/coins.yaml <<'END'
id: US9001
text_id: coin_trades
name: Coin Trades
description: Trades of coins on our own venue, one row each.
data_group: Coins
dataset_class: Coins
dataset_format: Market Data
time_granularity: Tick
universe_identifier: symbol
creation_date: 2026-11-20
is_time_series: true
group: coins
segment: coin-trades
path: tick
natural_order: [TradeDate, Ticker, EventDateTime]
partition: { unit: day, column: TradeDate }
identifier: [Ticker]
date_column: TradeDate
universe: [Ticker]
time_zone: America/New_York
schedule: { days: trading, time: "20:30" }
columns:
  - { name: TradeDate, type: date, description: Day of the trade in New York. }
  - { name: EventDateTime, type: date-time, fraction_digits: 9, description: Moment of the trade. }
  - { name: Ticker, type: string, description: Symbol of the coin. }
  - { name: Price, type: number, description: Dollars for one coin. }
  - { name: Quantity, type: integer, description: Coins traded. }
  - { name: Marks, type: array of integer, description: What the venue says of it. }
END
cat > coins.csv <<'END'
TradeDate,EventDateTime,Ticker,Price,Quantity,Marks
2026-11-19,2026-11-19T09:30:00.123456789-05:00,BIT,0.1,9007199254740993,"[1,2]"
2026-11-19,2026-11-19T09:30:01-05:00,Ünï,,3,[]
END
cat > ticks.csv <<'END'
TradeDate,Ticker,ASID,EventDateTime,EventType,Price,Quantity,Exchange,ConditionCode
2026-11-19,ABCD,1001,2026-11-19T09:30:00.100-05:00,QUOTE BID NB,9.99,300,NASDAQ,1
2026-11-19,ABCD,1001,2026-11-19T09:30:00.200-05:00,QUOTE ASK NB,10.01,200,NASDAQ,1
2026-11-19,ABCD,1001,2026-11-19T09:30:01-05:00,TRADE,10.00,500,NASDAQ,65
2026-11-19,ABCD,1001,2026-11-19T16:00:00.500-05:00,TRADE,10.02,800,NASDAQ,129
2026-11-20,ABCD,1001,2026-11-20T09:30:01-05:00,TRADE,5.01,900,NASDAQ,65
END
cat > split.csv <<'END'
SecId,ASID,Ticker,EffectiveDate,AdjustmentFactor,AdjustmentReason,EventId
1001,1001,ABCD,2026-11-20,0.5,Subdiv,1
END
sed 's/10.02,800/10.04,800/' ticks.csv > corrected.csv
sed 's/5.01,900/6.66,900/' ticks.csv > wrong.csv
ticklake ingest coin_trades coins.csv
ticklake ingest eq_taq ticks.csv
ticklake ingest eq_taq corrected.csv
ticklake ingest eq_taq wrong.csv
ticklake publication rollback 4 --reason 'a wrong file'
ticklake ingest eq_adj_factors_basic split.csv
ticklake derive eq_trades eq_daily_ohlc eq_trades_1min eq_adj_factors_cumulative eq_daily_ohlc_adj
ticklake plan create --name Basic --minute-requests 1000
ticklake identity create --name Customer --plan 1
for dataset in coin_trades eq_taq eq_daily_ohlc eq_daily_ohlc_adj eq_trades_1min; do
  ticklake rule add --identity 2 --dataset "$dataset"
done
ticklake key create --identity 2 --name kept --expires-in 90d --secret-file home/kept-key

# A copy, since a server reserves space in its home that no archive makes small.
cp -R home served
ticklake serve --home served > serve.log &
server=$!
until grep -q 'listening on' serve.log; do sleep 0.1; done
while read -r path; do
  curl -sS --fail-with-body -H "X-API-KEY: $(cat home/kept-key)" --output "answers/$(echo "$path" | tr '/?' '!~')" \
    "http://127.0.0.1:$PORT/v1/data/$path"
done <<'END'
coins/coin-trades/2026-11-19/BIT?response_format=csv
coins/coin-trades/2026-11-19/%C3%9Cn%C3%AF?response_format=csv
us-equity/eq-taq/2026-11-19/ABCD?response_format=csv
us-equity/eq-taq/2026-11-20/ABCD?response_format=csv
us-equity/eq-taq/2026-11-19/ABCD?response_format=csv&dataset_version=1
us-equity/eq-taq/2026-11-20/ABCD?response_format=csv&dataset_version=3
us-equity/eq-daily-ohlc?response_format=csv
us-equity/eq-daily-ohlc?response_format=csv&adjusted=true
us-equity/eq-trades-1min?Ticker=ABCD&response_format=csv
END
kill $server
wait $server || true
server=
tar -czf "$here/home-$1.tar.gz" home answers
ls -l "$here/home-$1.tar.gz"
