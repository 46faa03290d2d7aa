import { Page } from '../ui/page';

export function PeopleScreen() {
  return <Page title="People" />;
}
