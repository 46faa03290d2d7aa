import { Page } from '../ui/page';

export function PublicationsScreen() {
  return <Page title="Publications" />;
}
