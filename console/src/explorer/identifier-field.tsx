import { useState } from 'react';
import { TextField } from '../ui/field';
import { SuggestField } from '../ui/suggest-field';
import { identifierColumns, identifierExample, identifierHint } from './dataset-shape';
import { fieldOf, type QueryFieldsProps, UnseenHint } from './filter-fields';
import { namesLike, namesOfRoot, rootOfText } from './futures-symbols';
import {
  type IdentifierKinds,
  identifierKinds,
  suggestionsOf,
  termOf,
} from './identifier-suggestions';
import { useContracts, useFoundSecurities } from './query-hooks';

type FieldProps = Omit<Parameters<typeof SuggestField>[0], 'suggestions' | 'onValueChange'> & {
  onValueChange: (value: string) => void;
};

interface FuturesKinds {
  isList: boolean;
  /** A root may be asked for as it is. */
  hasRoots: boolean;
}

/** Suggests securities from when something is typed until one is chosen. */
function SecurityField({ kinds, ...field }: FieldProps & { kinds: IdentifierKinds }) {
  const [isTyping, setIsTyping] = useState(false);
  const found = useFoundSecurities(isTyping ? termOf(field.value, kinds) : '');
  return (
    <SuggestField
      {...field}
      suggestions={suggestionsOf(field.value, kinds, found)}
      onValueChange={(value, isTyped) => {
        setIsTyping(isTyped);
        field.onValueChange(value);
      }}
    />
  );
}

function FuturesField({ isList, hasRoots, ...field }: FieldProps & FuturesKinds) {
  const [isTyping, setIsTyping] = useState(false);
  const term = isList ? field.value.slice(field.value.lastIndexOf(',') + 1) : field.value;
  const root = isTyping ? rootOfText(term) : null;
  const contracts = useContracts(root);
  const names = root === null ? [] : namesOfRoot(root, contracts, new Date().getFullYear());
  const offered = names.filter(({ name }) => hasRoots || name !== root);
  const before = field.value.slice(0, field.value.length - term.length);
  const space = before.endsWith(',') ? ' ' : '';
  return (
    <SuggestField
      {...field}
      suggestions={namesLike(term.trim(), offered)
        .map(({ name, hint }) => ({ value: `${before}${space}${name}`, label: name, hint }))
        .filter(({ value }) => value !== field.value)}
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
  if (shape.root_column !== null) {
    return <FuturesField {...field} isList={!isInPath} hasRoots={!isInPath} />;
  }
  const kinds = identifierKinds(shape);
  return kinds ? <SecurityField {...field} kinds={kinds} /> : <TextField {...field} />;
}
