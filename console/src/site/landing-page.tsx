import { useQuery } from '@tanstack/react-query';
import type { SystemStatus } from '@ticklake/client';
import { BookOpen, FileDown, KeyRound, Terminal } from 'lucide-react';
import { useEffect } from 'react';
import { apiUrl, type SiteConfig } from '../api/client';
import { answerQuery } from '../api/queries';
import { ButtonAnchor } from '../ui/button';
import { CodeBlock } from '../ui/copy-button';
import { Notice } from '../ui/page';
import { Badge } from '../ui/texts';
import styles from './landing-page.module.css';
import { PublicCatalogue } from './public-catalogue';

const DEFAULT_TEXT =
  'Historical US market data over an API: ticks, bars, daily values and reference data for equities, options and futures.';

const OFFERS = [
  {
    icon: Terminal,
    title: 'Rows by request',
    text: 'Filters on any column, sorting and past versions, in JSON, CSV, Arrow and Parquet.',
    href: '/docs/queries',
    link: 'Asking for rows',
  },
  {
    icon: FileDown,
    title: 'Whole results as files',
    text: 'Manifests, links that resume, and Delta Sharing for Spark and Power BI.',
    href: '/docs/bulk',
    link: 'Files of any size',
  },
  {
    icon: BookOpen,
    title: 'Clients and recipes',
    text: 'Python and TypeScript clients, and recipes for pandas, polars, Spark, R and spreadsheets.',
    href: '/docs/clients/python',
    link: 'The Python client',
  },
] as const;

function ServiceStatus() {
  const status = useQuery(answerQuery<SystemStatus>('/status'));
  if (status.isError) return <Badge kind="danger">Service is down</Badge>;
  if (!status.data) return null;
  return status.data.status === 'ok' ? (
    <Badge kind="good">Service is up</Badge>
  ) : (
    <Badge kind="warning">Service is degraded</Badge>
  );
}

function Hero({ config }: { config: SiteConfig }) {
  return (
    <section className={styles.hero} aria-label="About this service">
      <h1>{config.name}</h1>
      <p className={styles.text}>{config.text ?? DEFAULT_TEXT}</p>
      <p className={styles.actions}>
        {config.contact && (
          <ButtonAnchor kind="primary" href={config.contact}>
            Ask for access
          </ButtonAnchor>
        )}
        <ButtonAnchor href="/docs">Read the documentation</ButtonAnchor>
        <ButtonAnchor href="/reference">API reference</ButtonAnchor>
        <ServiceStatus />
      </p>
    </section>
  );
}

function Offers() {
  return (
    <section aria-label="Ways to read data">
      <ul className={styles.offers}>
        {OFFERS.map(({ icon: Icon, title, text, href, link }) => (
          <li key={title} className={styles.offer}>
            <Icon size={20} aria-hidden className={styles.icon} />
            <h2>{title}</h2>
            <p>{text}</p>
            <a href={href}>{link}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Access({ contact }: { contact: string | null }) {
  const curl = `curl --header "X-API-KEY: $TICKLAKE_KEY" \\\n  '${apiUrl('/meta/datasets/my')}'`;
  return (
    <section className={styles.access} aria-label="Access">
      <div className={styles.offer}>
        <KeyRound size={20} aria-hidden className={styles.icon} />
        <h2>How to get access</h2>
        <p>
          You read data with an API key, which belongs to an account.{' '}
          {contact ? (
            <>
              <a href={contact}>Ask for an account</a> and say which datasets you need.
            </>
          ) : (
            'Ask whoever gave you this address for an account.'
          )}
        </p>
        <p>
          Have an account? <a href="/console/">Sign in and create keys</a>.
        </p>
      </div>
      <div className={styles.offer}>
        <Terminal size={20} aria-hidden className={styles.icon} />
        <h2>Your first request</h2>
        <CodeBlock label="Your first request" text={curl} />
      </div>
    </section>
  );
}

function Footer({ version }: { version: string }) {
  return (
    <footer className={styles.footer}>
      <a href="/docs">Documentation</a>
      <a href="/reference">API reference</a>
      <a href={apiUrl('/openapi.json')}>OpenAPI document</a>
      <a href={apiUrl('/status')}>Status</a>
      <span>Ticklake {version}</span>
    </footer>
  );
}

export function LandingPage({ config }: { config: SiteConfig | null }) {
  useEffect(() => {
    if (config) document.title = config.name;
  }, [config]);
  if (config === null) {
    return (
      <main className={styles.page}>
        <h1>Can’t reach the server</h1>
        <Notice kind="warning">It may be starting up. Load this page again in a moment.</Notice>
      </main>
    );
  }
  return (
    <>
      <main className={styles.page}>
        <Hero config={config} />
        {config.has_public_catalogue && <PublicCatalogue />}
        <Offers />
        <Access contact={config.contact} />
      </main>
      <Footer version={config.version} />
    </>
  );
}
