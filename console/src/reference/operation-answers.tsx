import { useMemo, useState } from 'react';
import { Badge } from '../ui/badge';
import { CodeBlock } from '../ui/code-block';
import { Disclosure } from '../ui/disclosure';
import { Card } from '../ui/page';
import { Table, type TableColumn } from '../ui/table';
import { FieldTable } from './field-table';
import type { OpenApiDocument, Operation, OperationAnswer } from './openapi';
import { exampleOf, fieldsOf } from './schema-text';

type Schemas = OpenApiDocument['components']['schemas'];

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
            fields={fields.map((field) => ({ ...field, key: field.name, isRequired: false }))}
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
            fields={headers.map((header) => ({
              ...header,
              ...{ key: header.name, type: '', legal: '', isRequired: false },
            }))}
          />
        </Disclosure>
      )}
    </>
  );
}

export function OperationAnswers(props: { operation: Operation; schemas: Schemas }) {
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
        empty="None"
        isDense
      />
    </Card>
  );
}
