import { Page } from '../ui/page';

export function RequestsScreen() {
  return <Page title="Requests" />;
}
