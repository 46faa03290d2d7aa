import { Page } from '../ui/page';

export function ExplorerScreen() {
  return <Page title="Explorer" />;
}
