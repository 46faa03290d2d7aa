import { Page } from '../ui/page';

export function OverviewScreen() {
  return <Page title="Overview" />;
}
