import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { apiUrl } from '../api/client';
import { sessionQuery } from '../api/queries';
import { bytesText, countText } from '../format/amounts';
import { Badge } from '../ui/badge';
import { Button } from '../ui/button';
import { CodeBlock } from '../ui/code-block';
import { Disclosure } from '../ui/disclosure';
import { Facts } from '../ui/facts';
import { Notice } from '../ui/notice';
import { Card } from '../ui/page';
import { PasswordField } from '../ui/password-field';
import { TextAreaField } from '../ui/text-area-field';
import type { OpenApiDocument, Operation } from './openapi';
import { isGood } from './operation-answers';
import { exampleOf } from './schema-text';
import { sendTried, type TriedAnswer } from './send-tried';
import { TriedParameters } from './tried-parameters';
import { curlText, missingParameters, type TriedValues, takesFilters } from './tried-request';
import styles from './try-it.module.css';

interface TryItProps {
  operation: Operation;
  schemas: OpenApiDocument['components']['schemas'];
}

/** Few rows are enough to see how they look. */
const FIRST_LIMIT = '5';

function initialValues({ operation, schemas }: TryItProps): TriedValues {
  const body = operation.body && JSON.stringify(exampleOf(operation.body.schema, schemas), null, 2);
  return {
    parameters: operation.path.startsWith('/data/') ? { 'query limit': FIRST_LIMIT } : {},
    further: '',
    body: operation.body?.contentType === 'application/json' ? (body ?? '') : '',
  };
}

function Answer({ answer }: { answer: TriedAnswer }) {
  const { status, elapsedMs, byteCount, headers, text, isCut } = answer;
  return (
    <div className={styles.answer} role="status" aria-label="Answer">
      <p className={styles.line}>
        <Badge kind={isGood(`${status}`) ? 'good' : 'danger'}>{`${status}`}</Badge>
        {countText(Math.round(elapsedMs))} ms, {bytesText(byteCount)}
        {isCut && ' (only the beginning is shown)'}
      </p>
      {text === null && <p>The body isn’t text. Run the command above to save it.</p>}
      {text !== null && text !== '' && <CodeBlock label="Response body" text={text} />}
      <Disclosure label={`Headers (${headers.length})`}>
        <Facts facts={headers.map(([name, value]) => ({ name, value }))} />
      </Disclosure>
    </div>
  );
}

/** With which key the request is sent; without one, as the person who is signed in. */
function KeyField(props: { value: string; onValueChange: (key: string) => void }) {
  const session = useQuery(sessionQuery);
  const email = session.data?.person?.email;
  return (
    <PasswordField
      label="Key"
      name="key"
      autoComplete="off"
      description={
        email
          ? `Without a key, the request is sent as ${email}.`
          : 'The key stays on this page and is sent only to this server. You can also sign in first.'
      }
      value={props.value}
      onValueChange={props.onValueChange}
    />
  );
}

/** A form that sends the request. */
export function TryIt({ operation, schemas }: TryItProps) {
  const [values, setValues] = useState(() => initialValues({ operation, schemas }));
  const [key, setKey] = useState('');
  const [isTried, setIsTried] = useState(false);
  const send = useMutation({
    mutationFn: () => sendTried(operation, values, key.trim() === '' ? null : key.trim()),
  });
  const missing = missingParameters(operation, values);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (missing.length === 0) send.mutate();
  };
  const isChange = !['GET', 'HEAD'].includes(operation.method);
  return (
    <Card title="Try it">
      <form className={styles.form} onSubmit={submit} noValidate>
        <TriedParameters
          operation={operation}
          schemas={schemas}
          values={values}
          missing={isTried ? missing : []}
          takesFilters={takesFilters(operation)}
          onValuesChange={setValues}
        />
        {operation.body && (
          <TextAreaField
            label="Body"
            name="body"
            rows={8}
            description="An example; change it before you send it."
            value={values.body}
            onValueChange={(body) => setValues({ ...values, body })}
          />
        )}
        {operation.credentials.includes('apiKey') && (
          <KeyField value={key} onValueChange={setKey} />
        )}
        {isChange && operation.path !== '/session' && (
          <Notice kind="warning">This is a real request: it changes this server.</Notice>
        )}
        <CodeBlock label="Command" text={curlText(operation, values, apiUrl())} />
        <div>
          <Button kind="primary" type="submit" isBusy={send.isPending}>
            Send the request
          </Button>
        </div>
      </form>
      {send.isError && <Notice kind="danger">The server did not answer.</Notice>}
      {send.data && <Answer answer={send.data} />}
    </Card>
  );
}
