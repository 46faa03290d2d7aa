/** Whether a port can be listened on, asked before a home is opened and filled for it. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A setting's port, and the host that it belongs to. */
export interface ListenSetting {
  readonly setting: string;
  readonly host: string;
  readonly port: number;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'is reserved for the system: this user may not listen on it',
};

/** Throws an error that names the setting to change. */
export async function requireFreePort({ setting, host, port }: ListenSetting): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen({ host, port }), 'listening');
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    throw new Error(`port ${port} of ${host} ${reason}; set ${setting} to another one`);
  }
  probe.close();
  await once(probe, 'close');
}
