import { useMemo, useState } from 'react';
import { apiUrl, clientState } from '../api/client';
import { CodeBlock } from '../ui/copy-button';
import { Disclosure } from '../ui/disclosure';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { Badge } from '../ui/texts';
import styles from './method-name.module.css';
import { curlText, type Operation, type OperationAnswer } from './openapi';
import referencePageStyles from './reference-page.module.css';
import {
  exampleOf,
  fieldsOf,
  legalText,
  resolved,
  type SchemaField,
  type Schemas,
  typeText,
} from './schema-text';

const KINDS: Readonly<Record<string, string | undefined>> = {
  GET: styles.reading,
  HEAD: styles.reading,
  DELETE: styles.removing,
};

export function MethodName({ method }: { method: string }) {
  return <span className={`${styles.method} ${KINDS[method] ?? styles.changing}`}>{method}</span>;
}

interface DescribedField extends Omit<SchemaField, 'isRequired'> {
  readonly place?: string;
  /** '' without one. */
  readonly usual?: string;
  readonly isRequired?: boolean;
}

function Name({ name, place, type, isRequired }: DescribedField) {
  return (
    <span className={referencePageStyles.field}>
      <code>{name}</code>
      <span className={referencePageStyles.type}>
        {[type, place].filter(Boolean).join(', ')}
        {isRequired && <span className={referencePageStyles.required}> required</span>}
      </span>
    </span>
  );
}

function Meaning({ description, legal, usual = '' }: DescribedField) {
  return (
    <>
      {description}
      {legal !== '' && <span className={referencePageStyles.legal}>{legal}</span>}
      {usual !== '' && <span className={referencePageStyles.legal}>default: {usual}</span>}
    </>
  );
}

const FIELD_COLUMNS: readonly TableColumn<DescribedField>[] = [
  { header: 'Name', isRowHeader: true, cell: (row) => <Name {...row} /> },
  { header: 'Meaning', isWrapped: true, cell: (row) => <Meaning {...row} /> },
];

function FieldTable(props: { caption: string; fields: readonly DescribedField[] }) {
  return (
    <Table
      caption={props.caption}
      columns={FIELD_COLUMNS}
      rows={props.fields}
      rowKey={({ place, name }) => `${place} ${name}`}
      isDense
    />
  );
}

function isGood(status: string): boolean {
  return Number(status) < 400;
}

const COLUMNS: readonly TableColumn<OperationAnswer>[] = [
  {
    header: 'Status',
    isRowHeader: true,
    cell: ({ status }) => <Badge kind={isGood(status) ? 'good' : 'quiet'}>{status}</Badge>,
  },
  { header: 'When', isWrapped: true, cell: ({ description }) => description },
  { header: 'Body', cell: ({ contentTypes }) => contentTypes.join(', ') || 'none' },
];

function Example({ answer, schemas }: { answer: OperationAnswer; schemas: Schemas }) {
  const text = useMemo(
    () => JSON.stringify(exampleOf(answer.schema ?? {}, schemas), null, 2),
    [answer, schemas],
  );
  return <CodeBlock label="Example response" text={text} />;
}

/** Fields, example and headers of the usual answer; made when they are opened. */
function UsualAnswer({ answer, schemas }: { answer: OperationAnswer; schemas: Schemas }) {
  const { schema, headers } = answer;
  const [fields] = useState(() => (schema ? fieldsOf(schema, schemas) : []));
  return (
    <>
      {fields.length > 0 && (
        <Disclosure label={`Response fields (${fields.length})`}>
          <FieldTable
            caption="Response fields"
            fields={fields.map((field) => ({ ...field, isRequired: false }))}
          />
        </Disclosure>
      )}
      {schema && (
        <Disclosure label="Example response">
          <Example answer={answer} schemas={schemas} />
        </Disclosure>
      )}
      {headers.length > 0 && (
        <Disclosure label={`Headers (${headers.length})`}>
          <FieldTable
            caption="Response headers"
            fields={headers.map((header) => ({ ...header, type: '', legal: '' }))}
          />
        </Disclosure>
      )}
    </>
  );
}

function OperationAnswers(props: { operation: Operation; schemas: Schemas }) {
  const { answers } = props.operation;
  const usual = answers.find(({ status }) => status === '200') ?? answers[0];
  return (
    <Card title="Responses">
      {usual && <UsualAnswer answer={usual} schemas={props.schemas} />}
      <Table
        caption="Responses by status"
        columns={COLUMNS}
        rows={answers}
        rowKey={({ status }) => status}
        isDense
      />
    </Card>
  );
}

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

function Parameters({ operation, schemas }: OperationProps) {
  const fields = operation.parameters.map((parameter) => {
    const schema = resolved(parameter.schema ?? {}, schemas);
    return {
      name: parameter.name,
      place: parameter.in,
      type: typeText(schema, schemas),
      legal: legalText(schema, schemas),
      usual: String(schema.default ?? ''),
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
        <FieldTable caption="Body fields" fields={fields} />
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

export function OperationDetail({ operation, schemas }: OperationProps) {
  const { method, path, summary, description } = operation;
  return (
    <>
      <header className={referencePageStyles.head}>
        <h1 tabIndex={-1}>{summary}</h1>
        <p className={referencePageStyles.place}>
          <MethodName method={method} />
          <code>{`${clientState.apiPath}${path}`}</code>
        </p>
        {description !== '' && <p className={referencePageStyles.quiet}>{description}</p>}
        <p className={referencePageStyles.quiet}>{whoMayAsk(operation)}</p>
      </header>
      <Command operation={operation} schemas={schemas} />
      <Parameters operation={operation} schemas={schemas} />
      <Body operation={operation} schemas={schemas} />
      <OperationAnswers operation={operation} schemas={schemas} />
    </>
  );
}
