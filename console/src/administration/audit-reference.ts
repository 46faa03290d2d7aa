/** Whom a name of the audit log stands for: `identity:3`, `identity:3/key:5`, `person:2`. */
export interface AuditReference {
  readonly kind: 'identity' | 'person';
  readonly id: number;
}

/** `root, on the server` of who ran a command there, whom the log calls `local:root`; else null. */
export function localActorText(name: string): string | null {
  const [, user] = /^local:(.+)$/.exec(name) ?? [];
  return user === undefined ? null : `${user}, on the server`;
}

/** Null of other names. */
export function auditReference(name: string): AuditReference | null {
  const [, kind, id] = /^(identity|person):(\d+)(?:\/|$)/.exec(name) ?? [];
  return kind === 'identity' || kind === 'person' ? { kind, id: Number(id) } : null;
}
