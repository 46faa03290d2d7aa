import type { PersonSession } from '@ticklake/client';
import { Button } from '../ui/button';
import { Table } from '../ui/table';
import { Badge, MomentText, TwoLines } from '../ui/texts';
import { browserName } from './browser-name';

interface SessionTableProps {
  sessions: readonly PersonSession[];
  isBusy: boolean;
  onEnd: (sessionId: string) => void;
}

export function SessionTable({ sessions, isBusy, onEnd }: SessionTableProps) {
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
          cell: ({ browser, source_address }) => (
            <TwoLines first={browserName(browser)} second={source_address} />
          ),
        },
        {
          header: 'Last used',
          cell: ({ last_used_at }) => <MomentText time={last_used_at} isShort />,
        },
        { header: 'Signed in', cell: ({ created_at }) => <MomentText time={created_at} isShort /> },
        {
          header: 'Actions',
          isPinned: true,
          cell: ({ session_id, is_current, browser }) =>
            is_current ? (
              <Badge kind="good">this session</Badge>
            ) : (
              <Button
                kind="quiet"
                isBusy={isBusy}
                aria-label={`End the session of ${browserName(browser)}`}
                onClick={() => onEnd(session_id)}
              >
                End
              </Button>
            ),
        },
      ]}
    />
  );
}
