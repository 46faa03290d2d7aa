import { useEffect, useState } from 'react';
import { relativeText, utcMinuteText, utcText } from '../format/times';
import { TwoLines } from './two-lines';

const TICK_MS = 10_000;

interface MomentTextProps {
  time: string | null;
  /** To the minute. */
  isShort?: boolean;
  /** Shown where there is no time. */
  absent?: string;
}

/** A time, and how long it is from now. */
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
