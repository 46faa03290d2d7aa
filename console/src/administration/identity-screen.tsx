import { Page } from '../ui/page';

export function IdentityScreen() {
  return <Page title="Identity" />;
}
