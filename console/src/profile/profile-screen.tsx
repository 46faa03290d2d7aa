import { Page } from '../ui/page';

export function ProfileScreen() {
  return <Page title="Profile" />;
}
