import { Page } from '../ui/page';

export function AuditLogScreen() {
  return <Page title="Audit log" />;
}
