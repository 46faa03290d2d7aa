/** What a page has to know before anything else: where the interface is, and who offers it. */
import { clientState } from './client';

export interface SiteConfig {
  /** Path of the interface on this server, such as `/v1`. */
  readonly api: string;
  readonly version: string;
  /** The owner's, of the service. */
  readonly name: string;
  readonly text: string | null;
  /** Paths or addresses; null without one. */
  readonly logo: string | null;
  readonly contact: string | null;
  readonly has_public_catalogue: boolean;
  /** Whether the server can e-mail people. */
  readonly sends_email: boolean;
}

/** Null where the server does not answer. */
export async function loadSiteConfig(): Promise<SiteConfig | null> {
  try {
    const response = await fetch(`${import.meta.env.BASE_URL}config.json`);
    const config = (await response.json()) as SiteConfig;
    clientState.apiPath = config.api;
    clientState.sendsEmail = config.sends_email;
    return config;
  } catch {
    return null;
  }
}
