import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { DatasetInfo, QueryForm } from '@ticklake/client';
import { BookOpen, ChartCandlestick } from 'lucide-react';
import type { ReactNode } from 'react';
import { datasetInfoQuery, datasetPreviewQuery, queryShapeQuery } from '../api/queries';
import { useKnownSearch } from '../layout/known-search';
import { ButtonAnchor } from '../ui/button';
import { LinkButton } from '../ui/links';
import { Card, FoundPage, Loaded, Notice, Page, Query } from '../ui/page';
import { SampleTable } from '../ui/sample-table';
import { type Tab, Tabs } from '../ui/tabs';
import { type DatasetTab, readDatasetTab } from './catalogue-search';
import { DatasetAbout, DatasetAccess, DatasetStatusCard, DatasetVariants } from './dataset-about';
import { DatasetColumns } from './dataset-columns';
import { CoverageOfAccount } from './dataset-coverage';
import { DatasetRequests } from './dataset-requests';
import { DatasetRules } from './dataset-rules';
import { referenceLink } from './dataset-text';
import { DatasetVersions } from './dataset-versions';

function EntitledOnly(props: { isEntitled: boolean; children: ReactNode }) {
  if (props.isEntitled) return props.children;
  return (
    <Notice kind="info" title="No access to this dataset">
      Only shown to accounts that can read this dataset.
    </Notice>
  );
}

function DatasetPreview({ datasetId }: { datasetId: string }) {
  return (
    <Card title="Preview">
      <p>
        The first ten rows of the latest week that your account can read. Loading them counts as one
        request.
      </p>
      <Query of={datasetPreviewQuery(datasetId)} what="the rows">
        {({ data }) => <SampleTable caption="Preview" rows={data} />}
      </Query>
    </Card>
  );
}

const BACK = <Link to="/catalogue">All datasets</Link>;

function Actions({ info, shape }: { info: DatasetInfo; shape: QueryForm }) {
  return (
    <>
      <ButtonAnchor icon={BookOpen} href={referenceLink(shape)} rel="noreferrer" target="_blank">
        API reference
      </ButtonAnchor>
      {shape.is_entitled && (
        <LinkButton
          icon={ChartCandlestick}
          kind="primary"
          to="/explorer"
          search={{ dataset: info.dataset_id }}
        >
          Open in the Explorer
        </LinkButton>
      )}
    </>
  );
}

interface DatasetProps {
  info: DatasetInfo;
  shape: QueryForm;
}

function About({ info, shape }: DatasetProps) {
  return (
    <>
      <DatasetAbout info={info} shape={shape} />
      <DatasetStatusCard datasetId={info.dataset_id} isEntitled={shape.is_entitled} />
      <DatasetAccess shape={shape} />
      {shape.variants.length > 1 && <DatasetVariants shape={shape} />}
    </>
  );
}

function entitled(shape: QueryForm, content: () => ReactNode) {
  return () => <EntitledOnly isEntitled={shape.is_entitled}>{content()}</EntitledOnly>;
}

function tabsOf({ info, shape }: DatasetProps): readonly Tab<DatasetTab>[] {
  const { dataset_id: id } = info;
  const coverage: Tab<DatasetTab> = {
    name: 'coverage',
    label: 'Coverage',
    content: entitled(shape, () => <CoverageOfAccount info={info} shape={shape} />),
  };
  return [
    { name: 'about', label: 'About', content: () => <About info={info} shape={shape} /> },
    { name: 'columns', label: 'Columns', content: () => <DatasetColumns shape={shape} /> },
    {
      name: 'preview',
      label: 'Preview',
      content: entitled(shape, () => <DatasetPreview datasetId={id} />),
    },
    ...(info.is_time_series && shape.date_column !== null ? [coverage] : []),
    {
      name: 'versions',
      label: 'Versions',
      content: entitled(shape, () => <DatasetVersions datasetId={id} />),
    },
    { name: 'rules', label: 'Methodology', content: () => <DatasetRules datasetId={id} /> },
    { name: 'requests', label: 'API', content: () => <DatasetRequests shape={shape} /> },
  ];
}

function Dataset({ info, shape }: DatasetProps) {
  const [{ tab = 'about' }, setSearch] = useKnownSearch(readDatasetTab);
  return (
    <Tabs<DatasetTab>
      label={`Sections of ${info.dataset_name}`}
      open={tab}
      onOpenChange={(next) => setSearch({ tab: next })}
      tabs={tabsOf({ info, shape })}
    />
  );
}

/** `US1020 · Equity · Daily`. */
function aboutText({ dataset_id: id, data_group: group, time_granularity: steps }: DatasetInfo) {
  return [id, group, steps].join(' · ');
}

function LoadedDataset({ info }: { info: DatasetInfo }) {
  const shape = useQuery(queryShapeQuery(info.dataset_id));
  return (
    <Page
      title={info.dataset_name}
      back={BACK}
      description={aboutText(info)}
      actions={shape.data && <Actions info={info} shape={shape.data} />}
    >
      <Loaded query={shape} what="the request format">
        {(loaded) => <Dataset info={info} shape={loaded} />}
      </Loaded>
    </Page>
  );
}

export default function DatasetScreen() {
  const { datasetId } = useParams({ from: '/signed-in/account/catalogue/$datasetId' });
  return (
    <FoundPage of={datasetInfoQuery(datasetId)} noun="Dataset" id={datasetId} back={BACK}>
      {(info) => <LoadedDataset key={datasetId} info={info} />}
    </FoundPage>
  );
}
