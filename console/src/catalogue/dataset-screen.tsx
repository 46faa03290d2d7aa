import { Page } from '../ui/page';

export function DatasetScreen() {
  return <Page title="Dataset" />;
}
