import type { QueryKey } from '@tanstack/react-query';
import type { EndedSessions, PersonSession } from '@ticklake/client';
import { postJson } from '../api/client';
import { plural } from '../format/texts';
import { Button } from '../ui/button';
import { momentColumn, Table } from '../ui/table';
import { Badge, TwoLines } from '../ui/texts';
import { useChange } from '../ui/use-change';

type Names = readonly (readonly [sign: RegExp, name: string])[];

/** In this order: most browsers name others besides themselves. */
const BROWSERS: Names = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome|Chromium)\//, 'Chrome'],
  [/\bVersion\/.* Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: Names = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

function nameIn(names: Names, agent: string): string | undefined {
  return names.find(([sign]) => sign.test(agent))?.[1];
}

/** `Firefox on Linux`, of a browser's `User-Agent`; that itself where nobody knows it. */
export function browserName(agent: string): string {
  if (agent === '') return 'Unknown browser';
  const browser = nameIn(BROWSERS, agent);
  if (browser === undefined) return agent.slice(0, 40);
  const system = nameIn(SYSTEMS, agent);
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** Ends one session of a person, or all but the current one, by a path of theirs. */
export function useEndSessions(path: string, shownBy: QueryKey) {
  return useChange({
    send: (body: { session_id?: string }) => postJson<EndedSessions>(path, body),
    touches: [shownBy],
    done: ({ ended_count }) => `Ended ${plural(ended_count, 'session')}`,
  });
}

interface SessionTableProps {
  sessions: readonly PersonSession[];
  end: ReturnType<typeof useEndSessions>;
}

export function SessionTable({ sessions, end }: SessionTableProps) {
  return (
    <Table
      caption="Sessions"
      rows={sessions}
      rowKey={({ session_id }) => session_id}
      empty="Not signed in anywhere."
      columns={[
        {
          header: 'Browser',
          isRowHeader: true,
          cell: ({ browser, source_address, is_current }) => (
            <>
              <TwoLines first={browserName(browser)} second={source_address} />
              <div>{is_current && <Badge kind="good">this session</Badge>}</div>
            </>
          ),
        },
        momentColumn('Last used', 'last_used_at'),
        momentColumn('Signed in', 'created_at'),
        {
          header: 'Actions',
          isPinned: true,
          cell: ({ session_id, is_current, browser }) =>
            !is_current && (
              <Button
                kind="quiet"
                isBusy={end.isPending}
                aria-label={`End the session of ${browserName(browser)}`}
                onClick={() => end.mutate({ session_id })}
              >
                End
              </Button>
            ),
        },
      ]}
    />
  );
}
