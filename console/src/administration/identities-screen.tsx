import { Page } from '../ui/page';

export function IdentitiesScreen() {
  return <Page title="Identities" />;
}
