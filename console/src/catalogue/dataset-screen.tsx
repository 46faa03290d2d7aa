import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { DatasetInfo, QueryForm } from '@ticklake/client';
import { BookOpen, ChartCandlestick } from 'lucide-react';
import { catalogueQuery, datasetInfoQuery, queryShapeQuery } from '../api/queries';
import { LinkButton, OutsideLinkButton } from '../ui/link-button';
import { Loaded } from '../ui/loading';
import { Notice } from '../ui/notice';
import { Page } from '../ui/page';
import { DatasetAbout } from './dataset-about';
import { DatasetAccess } from './dataset-access';
import { DatasetColumns } from './dataset-columns';
import { DatasetRequests } from './dataset-requests';
import { DatasetStatusCard } from './dataset-status-card';
import { DatasetVariants } from './dataset-variants';
import { referenceLink } from './request-paths';

const BACK = <Link to="/catalogue">All datasets</Link>;

function Actions({ info, shape }: { info: DatasetInfo; shape: QueryForm }) {
  return (
    <>
      <OutsideLinkButton href={referenceLink(shape)}>
        <BookOpen size={16} aria-hidden />
        API reference
      </OutsideLinkButton>
      <LinkButton kind="primary" to="/explorer" search={{ dataset: info.dataset_id }}>
        <ChartCandlestick size={16} aria-hidden />
        Open in the Explorer
      </LinkButton>
    </>
  );
}

function Dataset({ info, shape }: { info: DatasetInfo; shape: QueryForm }) {
  return (
    <>
      <DatasetAbout info={info} shape={shape} />
      <DatasetStatusCard datasetId={info.dataset_id} isEntitled={shape.is_entitled} />
      <DatasetAccess shape={shape} />
      {shape.variants.length > 1 && <DatasetVariants shape={shape} />}
      <DatasetRequests shape={shape} />
      <DatasetColumns shape={shape} />
    </>
  );
}

function LoadedDataset({ datasetId }: { datasetId: string }) {
  const info = useQuery(datasetInfoQuery(datasetId));
  const shape = useQuery(queryShapeQuery(datasetId));
  return (
    <Page
      title={info.data?.dataset_name ?? 'Dataset'}
      description={BACK}
      actions={info.data && shape.data && <Actions info={info.data} shape={shape.data} />}
    >
      <Loaded query={info} what="the dataset">
        {(loaded) => (
          <Loaded query={shape} what="the request format">
            {(loadedShape) => <Dataset info={loaded} shape={loadedShape} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}

export function DatasetScreen() {
  const { datasetId } = useParams({ from: '/signed-in/account/catalogue/$datasetId' });
  const catalogue = useQuery(catalogueQuery);
  if (catalogue.data?.some(({ dataset_id }) => dataset_id === datasetId)) {
    return <LoadedDataset key={datasetId} datasetId={datasetId} />;
  }
  return (
    <Page title="Dataset" description={BACK}>
      <Loaded query={catalogue} what="the catalogue">
        {() => <Notice kind="info">The catalogue holds no dataset {datasetId}.</Notice>}
      </Loaded>
    </Page>
  );
}
