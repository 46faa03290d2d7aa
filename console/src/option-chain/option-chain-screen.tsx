import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { OptionChain, OptionChainContract } from '@ticklake/client';
import { type FormEvent, useMemo, useState } from 'react';
import { queryString } from '../api/client';
import { answerQuery, datasetPreviewQuery, ownCatalogueQuery } from '../api/queries';
import { TradingDateField } from '../explorer/trading-date-field';
import { countText, plural } from '../format/texts';
import { useKnownSearch } from '../layout/known-search';
import { Button } from '../ui/button';
import { ChoiceGroup } from '../ui/choice-group';
import { TextField } from '../ui/field';
import { Card, Loaded, Notice, Page, Query } from '../ui/page';
import { SelectField } from '../ui/select-field';
import { Table, type TableColumn } from '../ui/table';
import { Facts } from '../ui/texts';
import { Toolbar } from '../ui/toolbar';
import { type ChainSearch, readChainSearch } from './chain-search';
import { percentText, SmileChart } from './smile-chart';
import { nearestStrikes, type Strike, strikesOf, underlyingPrice } from './strikes';

const TICKS = 'opt_tanq';
const NEAR_STRIKES = 10;

/** With an expiration, its contracts alone: a page may end before those of all. */
const chainQuery = (underlying: string, date = 'latest', expiration?: string) =>
  answerQuery<OptionChain>(
    `/symbology/option-chain${queryString({ underlying, date, ...(expiration && { expiration }) })}`,
  );

const PRICE = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 4,
  useGrouping: false,
});

const orDash = (value: number | null | undefined, text: (value: number) => string) =>
  value === null || value === undefined ? '–' : text(value);
const priceText = (value: number | null | undefined) => orDash(value, PRICE.format);

const SIDE_COLUMNS: readonly (readonly [
  header: string,
  text: (contract: OptionChainContract | null) => string,
])[] = [
  ['bid', (contract) => priceText(contract?.bid_price)],
  ['ask', (contract) => priceText(contract?.ask_price)],
  ['last', (contract) => priceText(contract?.last_trade_price)],
  ['open interest', (contract) => orDash(contract?.open_interest, countText)],
  ['volatility', (contract) => orDash(contract?.implied_volatility, percentText)],
  ['delta', (contract) => orDash(contract?.delta, (value) => value.toFixed(3))],
];

function sideColumns(side: 'call' | 'put'): readonly TableColumn<Strike>[] {
  return SIDE_COLUMNS.map(([header, text]) => ({
    header: `${side === 'call' ? 'Call' : 'Put'} ${header}`,
    isNumeric: true,
    cell: (row) => text(row[side]),
  }));
}

function chainColumns(hasRoots: boolean): readonly TableColumn<Strike>[] {
  const strike: TableColumn<Strike> = {
    header: 'Strike',
    isRowHeader: true,
    isNumeric: true,
    cell: (row) =>
      hasRoots ? `${row.root} ${PRICE.format(row.strike)}` : PRICE.format(row.strike),
  };
  return [...sideColumns('call'), strike, ...sideColumns('put')];
}

const UNREAD: Readonly<Record<string, string>> = {
  forbidden: 'your account has no rule for it',
  outside_window: 'your account may not read this date',
  not_published: 'nothing of it is published',
  not_offered: 'this server does not offer it',
};

/** Says why greeks or terms of contracts are missing. */
function Unread({ sources }: Pick<OptionChain, 'sources'>) {
  const unread = sources.filter(({ state }) => state !== 'read');
  if (unread.length === 0) return null;
  return (
    <Notice kind="info">
      {unread
        .map(({ role, dataset_text_id: id, state }) => `No ${role} from ${id}: ${UNREAD[state]}.`)
        .join(' ')}
    </Notice>
  );
}

const CHOICES = [
  { value: 'near', label: 'Near the money' },
  { value: 'all', label: 'All strikes' },
] as const;

function Expiration({ chain, date }: { chain: OptionChain; date: string }) {
  const [shown, setShown] = useState<(typeof CHOICES)[number]['value']>('near');
  const all = useMemo(
    () => strikesOf(chain.contracts.filter(({ expiration_date }) => expiration_date === date)),
    [chain, date],
  );
  const near = nearestStrikes(all, underlyingPrice(chain), NEAR_STRIKES);
  const hasRoots = new Set(all.map(({ root }) => root)).size > 1;
  const hasSmile = all.some(({ call, put }) => call?.implied_volatility ?? put?.implied_volatility);
  const title = `${chain.underlying}, expiring ${date}`;
  return (
    <>
      {hasSmile && <SmileChart strikes={all} label={`Implied volatility of ${title}`} />}
      {near.length < all.length && (
        <ChoiceGroup label="Strikes" value={shown} choices={CHOICES} onValueChange={setShown} />
      )}
      <Table
        caption={`Options on ${title}`}
        columns={chainColumns(hasRoots)}
        rows={shown === 'all' ? all : near}
        rowKey={({ root, strike }) => `${root} ${strike}`}
        empty="No contracts"
        isDense
      />
    </>
  );
}

interface ChainProps {
  chain: OptionChain;
  search: ChainSearch;
  onSearch: (search: ChainSearch) => void;
}

function Chain({ chain, search, onSearch }: ChainProps) {
  const { underlying_bid_price: bid, underlying_ask_price: ask, expirations } = chain;
  const dates = expirations.map(({ expiration_date }) => expiration_date);
  // Contracts of the day itself have no volatility any more.
  const later = dates.find((each) => each > chain.date) ?? dates[0];
  const date = dates.find((each) => each === search.expiration) ?? later;
  const options = expirations.map(({ expiration_date: value, contract_count: count }) => {
    return { value, label: `${value} (${plural(count, 'contract')})` };
  });
  return (
    <Card title={`${chain.underlying} on ${chain.date} at ${chain.at.slice(11, 16)} ET`}>
      <Facts
        facts={[
          { name: 'Underlying', value: `${priceText(bid)} bid, ${priceText(ask)} ask` },
          { name: 'Contracts', value: countText(chain.contract_count) },
          { name: 'Greeks as of', value: chain.greeks_date ?? '–' },
        ]}
      />
      <Unread sources={chain.sources} />
      {date === undefined ? (
        <p>No option of this underlying has rows on this date.</p>
      ) : (
        <>
          <Toolbar label="Choose an expiration" isEven>
            <SelectField
              label="Expiration"
              name="expiration"
              value={date}
              options={options}
              onValueChange={(expiration) => onSearch({ ...search, expiration })}
            />
          </Toolbar>
          {chain.pagination.next_offset === null ? (
            <Expiration chain={chain} date={date} />
          ) : (
            <Query of={chainQuery(chain.underlying, chain.date, date)} what="the contracts">
              {(own) => <Expiration chain={own} date={date} />}
            </Query>
          )}
        </>
      )}
    </Card>
  );
}

interface ChainFormProps {
  datasetId: string;
  asked: ChainSearch;
  onAsk: (search: ChainSearch) => void;
}

/** Asks only when it is told to: each chain counts as scanned. */
function ChainForm({ datasetId, asked, onAsk }: ChainFormProps) {
  const [underlying, setUnderlying] = useState(asked.underlying ?? '');
  const [date, setDate] = useState(asked.date ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (underlying.trim() === '') return;
    onAsk({ underlying: underlying.trim(), ...(date !== '' && { date }) });
  };
  return (
    <form onSubmit={submit}>
      <Toolbar label="Choose a chain">
        <TextField
          label="Underlying"
          name="underlying"
          value={underlying}
          onValueChange={setUnderlying}
        />
        <TradingDateField
          {...{ datasetId }}
          label="Date"
          placeholder="Latest"
          name="date"
          value={date}
          onValueChange={setDate}
        />
        <Button type="submit" kind="primary">
          Show
        </Button>
      </Toolbar>
    </form>
  );
}

/** The first underlying of the ticks, where none was chosen yet. */
function useUnderlying(datasetId: string, chosen: string | undefined): string | undefined {
  const { data } = useQuery({
    ...datasetPreviewQuery(datasetId),
    enabled: chosen === undefined,
  });
  const first = data?.data[0]?.Ticker;
  return chosen ?? (first === undefined ? undefined : String(first));
}

function Chains({ datasetId }: { datasetId: string }) {
  const [search, onSearch] = useKnownSearch(readChainSearch);
  const underlying = useUnderlying(datasetId, search.underlying);
  if (underlying === undefined)
    return <ChainForm {...{ datasetId }} asked={search} onAsk={onSearch} />;
  const asked = { ...search, underlying };
  return (
    <>
      <ChainForm {...{ datasetId, asked }} key={`${underlying} ${search.date}`} onAsk={onSearch} />
      <Query of={chainQuery(underlying, search.date)} what="the option chain">
        {(chain) => <Chain chain={chain} search={asked} onSearch={onSearch} />}
      </Query>
    </>
  );
}

export default function OptionChainScreen() {
  const catalogue = useQuery(ownCatalogueQuery);
  return (
    <Page
      title="Option chains"
      description="Every contract of an underlying at the end of a day: quotes, trades, open interest and greeks."
    >
      <Loaded query={catalogue} what="your datasets">
        {(datasets) => {
          const ticks = datasets.find(({ dataset_text_id: id }) => id === TICKS);
          if (ticks) return <Chains datasetId={ticks.dataset_id} />;
          return (
            <Notice kind="info">
              Your account can’t read option ticks ({TICKS}). Ask for them in the{' '}
              <Link to="/catalogue">catalogue</Link>.
            </Notice>
          );
        }}
      </Loaded>
    </Page>
  );
}
