import { apiUrl, clientState } from '../api/client';
import { CodeBlock } from '../ui/code-block';
import { Card } from '../ui/page';
import { FieldTable } from './field-table';
import { MethodName } from './method-name';
import { curlText, type OpenApiDocument, type Operation } from './openapi';
import { OperationAnswers } from './operation-answers';
import styles from './reference-page.module.css';
import { exampleOf, fieldsOf, legalText, resolved, typeText } from './schema-text';

type Schemas = OpenApiDocument['components']['schemas'];

interface OperationProps {
  operation: Operation;
  schemas: Schemas;
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  apiKey: 'a key',
  session: 'a person who is signed in',
  bearer: 'a key as a bearer token',
};

function whoMayAsk({ credentials }: Operation): string {
  if (credentials.length === 0) return 'No key or sign-in needed.';
  return `For ${credentials.map((name) => CREDENTIALS[name] ?? name).join(' or ')}.`;
}

function usualText(value: unknown): string {
  return value === undefined ? '' : String(value);
}

function Parameters({ operation, schemas }: OperationProps) {
  const fields = operation.parameters.map((parameter) => {
    const schema = resolved(parameter.schema ?? {}, schemas);
    return {
      key: `${parameter.in} ${parameter.name}`,
      name: parameter.name,
      place: parameter.in,
      type: typeText(schema, schemas),
      legal: legalText(schema, schemas),
      usual: usualText(schema.default),
      description: parameter.description ?? '',
      isRequired: parameter.required ?? false,
    };
  });
  if (fields.length === 0) return null;
  return (
    <Card title="Parameters">
      <FieldTable caption="Parameters" fields={fields} />
    </Card>
  );
}

function Body({ operation: { body }, schemas }: OperationProps) {
  if (!body) return null;
  const fields = fieldsOf(body.schema, schemas);
  return (
    <Card title="Body">
      {fields.length > 0 ? (
        <FieldTable
          caption="Body fields"
          fields={fields.map((field) => ({ ...field, key: field.name }))}
        />
      ) : (
        <p>
          {body.contentType === 'application/json' ? 'An empty JSON object.' : body.contentType}
        </p>
      )}
    </Card>
  );
}

function Command({ operation, schemas }: OperationProps) {
  const { body } = operation;
  const isJson = body?.contentType === 'application/json';
  const example = isJson ? JSON.stringify(exampleOf(body.schema, schemas)) : '';
  return (
    <Card title="Command">
      <CodeBlock label="Command" text={curlText(operation, apiUrl(), example)} />
    </Card>
  );
}

/** Everything about an operation. */
export function OperationDetail({ operation, schemas }: OperationProps) {
  const { method, path, summary, description } = operation;
  return (
    <>
      <header className={styles.head}>
        <h1 tabIndex={-1}>{summary}</h1>
        <p className={styles.place}>
          <MethodName method={method} />
          <code>{`${clientState.apiPath}${path}`}</code>
        </p>
        {description !== '' && <p className={styles.quiet}>{description}</p>}
        <p className={styles.quiet}>{whoMayAsk(operation)}</p>
      </header>
      <Command operation={operation} schemas={schemas} />
      <Parameters operation={operation} schemas={schemas} />
      <Body operation={operation} schemas={schemas} />
      <OperationAnswers operation={operation} schemas={schemas} />
    </>
  );
}
