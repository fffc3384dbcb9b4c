import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { Badge } from '../../parts/badge.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { DestinationTable } from '../../parts/destination-table.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useProviderName } from '../../parts/use-provider-name.ts';
import { words } from '../../words/words.ts';

const { destinations: texts, connections: links } = words;
const REFRESH_MS = 5_000;

/** The destinations and the connections of the workspace. */
export function DestinationsPage() {
  const canAdmin = useCan('admin');
  const destinations = useRead('GET /destinations', { query: { limit: 1_000 } }, { refetchInterval: REFRESH_MS });
  return (
    <>
      <PageHead
        title={texts.title}
        actions={
          canAdmin ? (
            <Link to="/destinations/new" className={buttonClass('primary')}>
              <Plus aria-hidden size={16} />
              {texts.add}
            </Link>
          ) : undefined
        }
      />
      <Panel flush className="mb-4">
        <Loaded of={destinations}>
          {({ data }) =>
            data.length === 0 ? <Empty title={texts.none} hint={texts.noneHint} /> : <DestinationTable rows={data} />
          }
        </Loaded>
      </Panel>
      <Connections />
    </>
  );
}

function Connections() {
  const providerName = useProviderName();
  const canAdmin = useCan('admin');
  const connections = useRead('GET /connections', { query: { limit: 1_000 } });
  return (
    <Panel
      title={links.title}
      flush
      actions={
        canAdmin ? (
          <Link to="/connections/new" className={buttonClass()}>
            <Plus aria-hidden size={16} />
            {links.add}
          </Link>
        ) : undefined
      }
    >
      <Loaded of={connections}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={links.none} hint={links.noneHint} />
          ) : (
            <PlainTable
              label={links.title}
              titles={[links.name, links.provider, links.tested]}
              rows={data}
              keyOf={({ id }) => id}
              cells={({ id, name, provider, lastTest }) => [
                <Link
                  key="name"
                  to="/connections/$connection"
                  params={{ connection: id }}
                  dir="auto"
                  className="font-medium hover:underline"
                >
                  {name}
                </Link>,
                providerName(provider),
                lastTest === null ? (
                  links.untested
                ) : (
                  <span key="test" className="flex flex-wrap gap-x-3">
                    <Badge tone={lastTest.ok ? 'good' : 'bad'}>{lastTest.ok ? links.works : links.fails}</Badge>
                    <Time at={lastTest.at} />
                  </span>
                ),
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
