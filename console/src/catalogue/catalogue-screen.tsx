import { Page } from '../ui/page';

export function CatalogueScreen() {
  return <Page title="Catalogue" />;
}
