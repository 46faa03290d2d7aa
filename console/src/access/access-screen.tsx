import { Page } from '../ui/page';

export function AccessScreen() {
  return <Page title="Data access" />;
}
