import type { FoundSecurity } from '@ticklake/client';
import { useState } from 'react';
import { TextField } from '../ui/field';
import { SuggestField, type Suggestion } from '../ui/suggest-field';
import {
  type DatasetShape,
  identifierColumns,
  identifierExample,
  identifierHint,
} from './dataset-shape';
import { fieldOf, type QueryFieldsProps, UnseenHint } from './filter-fields';
import { namesOfRoot, rootOfText } from './futures-symbols';
import { useContracts, useFoundSecurities } from './query-hooks';

export type IdentifierKinds = ReturnType<typeof identifierKinds>;

const TICKER = 'Ticker';
const NUMBER = 'ASID';
const NUMBERS: readonly FoundSecurity['matched']['field'][] = [NUMBER, 'SecId'];

/** The kinds of identifiers that a dataset takes. */
function identifierKinds(shape: DatasetShape) {
  const columns = identifierColumns(shape);
  const names = columns
    ? [columns.text, columns.integer]
    : shape.path_forms.map(({ identifier_column }) => identifier_column);
  const hasContracts = shape.root_column !== null;
  return {
    hasTickers: !hasContracts && names.includes(TICKER),
    hasNumbers: !hasContracts && names.includes(NUMBER),
    hasContracts,
    /** Commas separate several; the last one is being typed. */
    isList: columns !== null,
  };
}

export function termOf(text: string, { isList }: Pick<IdentifierKinds, 'isList'>): string {
  return (isList ? text.slice(text.lastIndexOf(',') + 1) : text).trim();
}

interface Named {
  readonly name: string;
  readonly hint: string;
}

/** Names in place of the term that is being typed; none for whoever has typed it. */
export function suggestionsOf(text: string, isList: boolean, names: readonly Named[]) {
  const before = isList ? text.slice(0, text.lastIndexOf(',') + 1) : '';
  return names
    .map(({ name, hint }): Suggestion => {
      return { value: `${before}${before && ' '}${name}`, label: name, hint };
    })
    .filter(({ value }) => value !== text);
}

function hintOf({ name, asid, matched, ticker, end_date }: FoundSecurity): string {
  const isPast = matched.field === TICKER && matched.value !== ticker;
  return [
    name,
    asid === null ? null : `${NUMBER} ${asid}`,
    isPast ? `was ${matched.value}` : null,
    end_date === null ? null : `until ${end_date}`,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

/** Securities by what the dataset names them by, numbers first where a number was typed. */
export function namesOfSecurities(
  found: readonly FoundSecurity[],
  { hasTickers, hasNumbers }: IdentifierKinds,
): readonly Named[] {
  return found.flatMap((security) => {
    const number = hasNumbers ? security.asid : null;
    const ticker = hasTickers ? security.ticker : null;
    const byNumber = NUMBERS.includes(security.matched.field);
    const name = byNumber ? (number ?? ticker) : (ticker ?? number);
    return name === null ? [] : [{ name: String(name), hint: hintOf(security) }];
  });
}

/**
 * The names of a root that begin as what is typed, if it is known to have contracts; a root by
 * itself may be asked for in a list.
 */
function useFuturesNames(term: string | null, isList: boolean): readonly Named[] {
  const root = term === null ? null : rootOfText(term);
  const contracts = useContracts(root);
  if (term === null || root === null || contracts.length === 0) return [];
  const names = namesOfRoot(root, contracts, new Date().getFullYear(), term);
  return names.filter(({ name }) => isList || name !== root);
}

type FieldProps = Omit<Parameters<typeof SuggestField>[0], 'suggestions' | 'onValueChange'> & {
  onValueChange: (value: string) => void;
};

/** Suggests identifiers from when something is typed until one is chosen. */
function NamesField({ kinds, ...field }: FieldProps & { kinds: IdentifierKinds }) {
  const [isTyping, setIsTyping] = useState(false);
  const { hasContracts, isList } = kinds;
  const term = isTyping ? termOf(field.value, kinds) : '';
  const futures = useFuturesNames(isTyping && hasContracts ? term : null, isList);
  const found = useFoundSecurities(hasContracts ? '' : term);
  const securities = namesOfSecurities(found.securities, kinds);
  return (
    <SuggestField
      {...field}
      suggestions={suggestionsOf(field.value, isList, hasContracts ? futures : securities)}
      onValueChange={(value, isTyped) => {
        setIsTyping(isTyped);
        field.onValueChange(value);
      }}
    />
  );
}

export function IdentifierField(props: QueryFieldsProps) {
  const { shape } = props;
  const isInPath = shape.path_parameters.includes('identifier');
  if (!isInPath && identifierColumns(shape) === null) return null;
  const field: FieldProps = {
    label: isInPath ? 'Identifier' : 'Identifiers',
    ...fieldOf(props, 'identifier'),
    placeholder: identifierExample(shape),
    description: <UnseenHint text={identifierHint(shape)} />,
  };
  const kinds = identifierKinds(shape);
  const isNamed = kinds.hasContracts || kinds.hasTickers || kinds.hasNumbers;
  return isNamed ? <NamesField {...field} kinds={kinds} /> : <TextField {...field} />;
}
