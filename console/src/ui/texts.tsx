import { type ReactNode, useEffect, useState } from 'react';
import { relativeText, sentenceCase, utcMinuteText, utcText } from '../format/texts';
import styles from './badge.module.css';

export type BadgeKind = 'good' | 'warning' | 'danger' | 'quiet';

/** A state in a word or two, with a capital; the colour only repeats what the word says. */
export function Badge({ kind, children }: { kind: BadgeKind; children: string }) {
  return <span className={`${styles.badge} ${styles[kind]}`}>{sentenceCase(children)}</span>;
}

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value }) => (
        <div key={name} className={styles.fact}>
          <dt className={styles.name}>{name}</dt>
          <dd className={styles.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export function TwoLines({ first, second }: { first: ReactNode; second: ReactNode }) {
  return (
    <span className={styles.lines}>
      <span>{first}</span>
      <span className={styles.second}>{second}</span>
    </span>
  );
}

const TICK_MS = 10_000;

interface MomentTextProps {
  time: string | null;
  /** To the minute. */
  isShort?: boolean;
  absent?: string;
}

export function MomentText({ time, isShort = false, absent = '–' }: MomentTextProps) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  if (time === null) return absent;
  return (
    <time dateTime={time}>
      <TwoLines
        first={isShort ? utcMinuteText(time) : utcText(time)}
        second={relativeText(time, nowMs)}
      />
    </time>
  );
}

/** An e-mail address, which lines break after its `@` first. */
export function EmailText({ email }: { email: string }) {
  const [name, ...domain] = email.split('@');
  if (domain.length === 0) return email;
  return (
    <>
      {`${name}@`}
      <wbr />
      {domain.join('@')}
    </>
  );
}

const SHOWN_MAX = 12;

/** Identifiers that a rule is narrowed to; none means all of them. */
export function UniverseText({ identifiers }: { identifiers: readonly string[] }) {
  if (identifiers.length === 0) return 'All';
  const hidden = identifiers.length - SHOWN_MAX;
  if (hidden <= 0) return <div className={styles.identifiers}>{identifiers.join(', ')}</div>;
  return (
    <details className={styles.identifiers}>
      <summary>
        {identifiers.slice(0, SHOWN_MAX).join(', ')} and {hidden} more
      </summary>
      {identifiers.slice(SHOWN_MAX).join(', ')}
    </details>
  );
}
