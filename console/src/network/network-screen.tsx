import { Page } from '../ui/page';

export function NetworkScreen() {
  return <Page title="Network" />;
}
