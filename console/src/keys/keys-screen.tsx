import { Page } from '../ui/page';

export function KeysScreen() {
  return <Page title="API keys" />;
}
