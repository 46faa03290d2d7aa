import { useQuery } from '@tanstack/react-query';
import type { QueryForm, FirstSteps as Steps } from '@ticklake/client';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { apiUrl } from '../api/client';
import { firstStepsQuery, ownCatalogueQuery, queryShapeQuery } from '../api/queries';
import { mayChange, useSession } from '../session/session';
import { CodeBlock } from '../ui/copy-button';
import { LinkButton } from '../ui/links';
import { Card, DismissButton, Loaded, Query, useDismissed } from '../ui/page';
import { firstDataset, frameSnippet } from './first-snippet';
import styles from './first-steps.module.css';

const LOOK_MS = 2000;

function areDone({ has_key, has_query, has_key_query }: Steps): boolean {
  return has_key && has_query && has_key_query;
}

/** Looked for again and again until all is done: the server sees each step as it is made. */
function useFirstSteps(): Steps | undefined {
  const { data } = useQuery({
    ...firstStepsQuery,
    refetchInterval: ({ state }) => (state.data && areDone(state.data) ? false : LOOK_MS),
  });
  return data;
}

interface StepProps {
  number: number;
  title: string;
  isDone: boolean;
  children: ReactNode;
}

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li className={`${styles.step} ${isDone ? styles.done : ''}`}>
      <span className={styles.mark} aria-hidden>
        {isDone ? <Check size={16} strokeWidth={3} /> : number}
      </span>
      <div className={styles.body}>
        <h3>
          {title}
          {isDone && <span className="visually-hidden">(done)</span>}
        </h3>
        {!isDone && children}
      </div>
    </li>
  );
}

function KeyStep({ isDone }: { isDone: boolean }) {
  const isManager = mayChange(useSession());
  return (
    <Step number={1} title="Generate an API key" isDone={isDone}>
      <p>Programs send it with each request. It is shown once.</p>
      {isManager ? (
        <LinkButton to="/keys" kind="primary">
          Generate key
        </LinkButton>
      ) : (
        <p>Ask a manager of your account, or the owner of this service, to generate one for you.</p>
      )}
    </Step>
  );
}

function QueryStep({ isDone, datasetId }: { isDone: boolean; datasetId: string | undefined }) {
  return (
    <Step number={2} title="Run your first query" isDone={isDone}>
      <p>The Explorer shows rows and charts of what you can read.</p>
      <LinkButton
        to="/explorer"
        search={datasetId === undefined ? {} : { dataset: datasetId, example: true }}
      >
        Show chart
      </LinkButton>
    </Step>
  );
}

function Frame({ form }: { form: QueryForm }) {
  const snippet = frameSnippet(apiUrl(), form);
  if (snippet === null) return 'Show a chart. The tab Code beside it has the program in Python.';
  return (
    <>
      <p>With the Python client and your key in TICKLAKE_KEY:</p>
      <CodeBlock text={snippet} label="Program" copyLabel="Copy program" />
    </>
  );
}

/** Leads a new account from its first key to its first DataFrame; gone once done or dismissed. */
export function FirstSteps() {
  const { account } = useSession();
  const [isDismissed, dismiss] = useDismissed(`first-steps-${account?.identity_id ?? 0}`);
  const steps = useFirstSteps();
  const own = useQuery(ownCatalogueQuery);
  if (isDismissed || steps === undefined || areDone(steps)) return null;
  const datasetId = firstDataset(own.data ?? []);
  return (
    <Card title="Get started" actions={<DismissButton what="Get started" onDismiss={dismiss} />}>
      <ol className={styles.steps} aria-live="polite">
        <KeyStep isDone={steps.has_key} />
        <QueryStep isDone={steps.has_query} datasetId={datasetId} />
        <Step number={3} title="Load your first DataFrame" isDone={steps.has_key_query}>
          <Loaded query={own} what="your datasets">
            {() =>
              datasetId === undefined ? (
                'Ask for access to a dataset first.'
              ) : (
                <Query of={queryShapeQuery(datasetId)} what="the program">
                  {(form) => <Frame form={form} />}
                </Query>
              )
            }
          </Loaded>
        </Step>
      </ol>
    </Card>
  );
}
