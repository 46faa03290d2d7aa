import { useState } from 'react';
import { SuggestField } from '../ui/suggest-field';
import { TextField } from '../ui/text-field';
import { identifierColumns } from './dataset-shape';
import { identifierExample, identifierHint } from './dataset-text';
import {
  type IdentifierKinds,
  identifierKinds,
  suggestionsOf,
  termOf,
} from './identifier-suggestions';
import type { QueryFieldsProps } from './query-fields-props';
import { UnseenHint } from './unseen-hint';
import { useFoundSecurities } from './use-suggestions';

type FieldProps = Omit<Parameters<typeof SuggestField>[0], 'suggestions' | 'onValueChange'> & {
  onValueChange: (value: string) => void;
};

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

/** Tickers, numbers or names of contracts, as the dataset has them. */
export function IdentifierField({ query, edit, shape, problems }: QueryFieldsProps) {
  const isInPath = shape.path_parameters.includes('identifier');
  if (!isInPath && identifierColumns(shape) === null) return null;
  const field: FieldProps = {
    label: isInPath ? 'Identifier' : 'Identifiers',
    name: 'identifier',
    value: query.identifier,
    onValueChange: (identifier) => edit({ identifier }),
    placeholder: identifierExample(shape),
    description: <UnseenHint text={identifierHint(shape)} />,
    error: problems.identifier,
  };
  const kinds = identifierKinds(shape);
  return kinds ? <SecurityField {...field} kinds={kinds} /> : <TextField {...field} />;
}
