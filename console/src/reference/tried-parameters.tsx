import { Disclosure } from '../ui/disclosure';
import { SelectField } from '../ui/select-field';
import { TextField } from '../ui/text-field';
import type { OpenApiDocument, Operation, ParameterObject } from './openapi';
import { choicesOf } from './schema-text';
import { parameterKey, type TriedValues } from './tried-request';
import styles from './try-it.module.css';

interface TriedParametersProps {
  operation: Operation;
  schemas: OpenApiDocument['components']['schemas'];
  values: TriedValues;
  /** Names of path parameters that need a value. */
  missing: readonly string[];
  takesFilters: boolean;
  onValuesChange: (values: TriedValues) => void;
}

const NOTHING = '';

function usualText({ schema }: ParameterObject): string {
  return schema?.default === undefined ? '' : `${schema.default}`;
}

function Parameter(props: TriedParametersProps & { parameter: ParameterObject }) {
  const { parameter, schemas, values, missing, onValuesChange } = props;
  const key = parameterKey(parameter);
  const value = values.parameters[key] ?? '';
  const change = (next: string) =>
    onValuesChange({ ...values, parameters: { ...values.parameters, [key]: next } });
  const choices = choicesOf(parameter.schema ?? {}, schemas);
  if (choices.length > 0) {
    const usual = usualText(parameter);
    const none = { value: NOTHING, label: usual === '' ? 'Not set' : `Not set (${usual})` };
    return (
      <SelectField
        label={parameter.name}
        name={key}
        value={value}
        options={[none, ...choices.map((choice) => ({ value: choice, label: choice }))]}
        onValueChange={change}
      />
    );
  }
  return (
    <TextField
      label={parameter.name}
      name={key}
      placeholder={usualText(parameter)}
      value={value}
      onValueChange={change}
      error={parameter.in === 'path' && missing.includes(parameter.name) ? 'Needs a value' : ''}
    />
  );
}

/** A field for each parameter: those that matter most in sight, the others behind a button. */
export function TriedParameters(props: TriedParametersProps) {
  const { operation, values, takesFilters, onValuesChange } = props;
  const first = operation.parameters.filter(
    ({ in: place, required, name }) => place === 'path' || required || name === 'limit',
  );
  const others = operation.parameters.filter((parameter) => !first.includes(parameter));
  const shown = takesFilters || others.length > 4 ? first : operation.parameters;
  const hidden = operation.parameters.filter((parameter) => !shown.includes(parameter));
  const fieldOf = (parameter: ParameterObject) => (
    <Parameter key={parameterKey(parameter)} {...props} parameter={parameter} />
  );
  return (
    <>
      <div className={styles.fields}>
        {shown.map(fieldOf)}
        {takesFilters && (
          <TextField
            label="Filters"
            name="further"
            placeholder="Ticker=AAPL&TradeDate.ge=2026-11-01"
            value={values.further}
            onValueChange={(further) => onValuesChange({ ...values, further })}
          />
        )}
      </div>
      {hidden.length > 0 && (
        <Disclosure label={`More parameters (${hidden.length})`}>
          <div className={styles.fields}>{hidden.map(fieldOf)}</div>
        </Disclosure>
      )}
    </>
  );
}
