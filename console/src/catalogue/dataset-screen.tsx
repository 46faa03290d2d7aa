import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { BookOpen, ChartCandlestick } from 'lucide-react';
import { ApiFailure } from '../api/api-failure';
import { datasetInfoQuery, queryShapeQuery } from '../api/queries';
import type { DatasetInfo, QueryShape } from '../api/records';
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
import { safeLink } from './request-paths';

function Actions({ info }: { info: DatasetInfo }) {
  const documentation = safeLink(info.documentation_link);
  return (
    <>
      {documentation && (
        <OutsideLinkButton href={documentation}>
          <BookOpen size={16} aria-hidden />
          Documentation
        </OutsideLinkButton>
      )}
      <LinkButton kind="primary" to="/explorer" search={{ dataset: info.dataset_id }}>
        <ChartCandlestick size={16} aria-hidden />
        Open in the Explorer
      </LinkButton>
    </>
  );
}

function Dataset({ info, shape }: { info: DatasetInfo; shape: QueryShape }) {
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

export function DatasetScreen() {
  const { datasetId } = useParams({ from: '/signed-in/account/catalogue/$datasetId' });
  const info = useQuery(datasetInfoQuery(datasetId));
  const shape = useQuery({ ...queryShapeQuery(datasetId), enabled: info.isSuccess });
  const back = <Link to="/catalogue">All datasets</Link>;
  if (info.error instanceof ApiFailure && info.error.status === 404) {
    return (
      <Page title="There is no such dataset" description={back}>
        <Notice kind="info">The catalogue holds no dataset {datasetId}.</Notice>
      </Page>
    );
  }
  return (
    <Page
      title={info.data?.dataset_name ?? 'Dataset'}
      description={back}
      actions={info.data && <Actions info={info.data} />}
    >
      <Loaded query={info} what="the dataset">
        {(loaded) => (
          <Loaded query={shape} what="how it is asked for">
            {(loadedShape) => <Dataset info={loaded} shape={loadedShape} />}
          </Loaded>
        )}
      </Loaded>
    </Page>
  );
}
