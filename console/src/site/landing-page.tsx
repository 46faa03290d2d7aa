import { useQuery } from '@tanstack/react-query';
import type { SystemStatus } from '@ticklake/client';
import { type ReactNode, useEffect } from 'react';
import { createPortal } from 'react-dom';
import { apiUrl, type SiteConfig } from '../api/client';
import { answerQuery } from '../api/queries';
import { ButtonAnchor } from '../ui/button';
import { CodeBlock } from '../ui/copy-button';
import { Notice } from '../ui/page';
import { Badge } from '../ui/texts';
import { AskButton } from './ask-button';
import { PublicCatalogue } from './public-catalogue';
import { PublicDatasetPage } from './public-dataset';

const DEFAULT_TEXT =
  'Historical US market data over an API: ticks, bars, daily values and reference data for equities, options and futures.';

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
    <>
      <h1>{config.name}</h1>
      <p className="text">{config.text ?? DEFAULT_TEXT}</p>
      <p className="actions">
        <AskButton config={config} />
        <ButtonAnchor href="/docs">Read the documentation</ButtonAnchor>
        <ButtonAnchor href="/reference">API reference</ButtonAnchor>
        <ServiceStatus />
      </p>
    </>
  );
}

function Contact({ config }: { config: SiteConfig }) {
  const { contact, has_public_catalogue: takesEnquiries } = config;
  if (takesEnquiries) return <AskButton config={config} />;
  if (contact === null) return 'Ask whoever gave you this address for an account.';
  return (
    <>
      <a href={contact}>Ask for an account</a> and say which datasets you need.
    </>
  );
}

/** The dataset of a page of its own; undefined on the page of all. */
function shownDataset({ has_public_catalogue: isPublic }: SiteConfig): string | undefined {
  const id = /^\/datasets\/([^/]+)\/?$/.exec(location.pathname)?.[1];
  return isPublic ? id && decodeURIComponent(id) : undefined;
}

/** Puts what only the server knows into the place that the document has for it. */
function Place({ id, children }: { id: string; children: ReactNode }) {
  const place = document.getElementById(id);
  return place && createPortal(children, place);
}

export function LandingPage({ config }: { config: SiteConfig | null }) {
  useEffect(() => {
    if (config) document.title = config.name;
  }, [config]);
  if (config === null) {
    return (
      <Place id="hero">
        <h1>Can’t reach the server</h1>
        <Notice kind="warning">It may be starting up. Load this page again in a moment.</Notice>
      </Place>
    );
  }
  const id = shownDataset(config);
  const curl = `curl --header "X-API-KEY: $TICKLAKE_KEY" \\\n  '${apiUrl('/meta/datasets/my')}'`;
  return (
    <>
      <Place id="hero">
        {id ? <PublicDatasetPage id={id} config={config} /> : <Hero config={config} />}
      </Place>
      {config.has_public_catalogue && !id && (
        <Place id="catalogue">
          <PublicCatalogue />
        </Place>
      )}
      <Place id="contact">
        <Contact config={config} />
      </Place>
      <Place id="request">
        <CodeBlock label="Your first request" text={curl} />
      </Place>
      <Place id="service">
        <a href={apiUrl('/openapi.json')}>OpenAPI document</a>
        <a href={apiUrl('/status')}>Status</a>
        <span>Ticklake {config.version}</span>
      </Place>
    </>
  );
}
