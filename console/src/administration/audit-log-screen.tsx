import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Loaded, MoreButton } from '../ui/loading';
import { Page } from '../ui/page';
import { AuditEntries } from './audit-entries';
import type { AuditFilter } from './audit-filter';
import { AuditFilterFields } from './audit-filter-fields';
import { auditLogQuery } from './queries';

function AuditLog({ filter }: { filter: AuditFilter }) {
  const log = useInfiniteQuery(auditLogQuery(filter));
  return (
    <Loaded query={log} what="the audit log">
      {({ pages }) => (
        <>
          <AuditEntries entries={pages.flatMap((page) => page.data)} />
          <MoreButton query={log}>Show older entries</MoreButton>
        </>
      )}
    </Loaded>
  );
}

export function AuditLogScreen() {
  const filter = useSearch({ from: '/signed-in/administration/audit-log' });
  const navigate = useNavigate({ from: '/audit-log' });
  return (
    <Page
      title="Audit log"
      description="Every administrative change, newest first. Entries are never edited or removed."
    >
      <AuditFilterFields
        filter={filter}
        onFilterChange={(search) => void navigate({ search, replace: true, resetScroll: false })}
      />
      <AuditLog filter={filter} />
    </Page>
  );
}
