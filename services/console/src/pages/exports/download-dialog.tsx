import type { Dataset } from '@tidemark/sdk';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { buttonClass } from '../../parts/button.tsx';
import { ColumnChoice } from '../../parts/column-choice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { CheckField, Select, TextField } from '../../parts/field.tsx';
import { formatName } from '../../parts/format-names.ts';
import { words } from '../../words/words.ts';
import { aboutDataset, datasetTitle } from './dataset-words.ts';
import { exportUrl, type FileOptions, PLAIN } from './export-url.ts';

const { exports: texts } = words;
const COMPRESSIONS = ['none', 'gzip', 'zstd'] as const;
const DELIMITERS = ['comma', 'semicolon', 'tab'] as const;

interface Props {
  readonly project: string;
  readonly dataset: Dataset;
  readonly start: { readonly q: string; readonly run: string | undefined };
  readonly onClose: () => void;
}

/** Chooses format, columns and rows of a file. The file is loaded by the browser itself. */
export function DownloadDialog({ project, dataset, start, onClose }: Props) {
  const [file, setFile] = useState<FileOptions>({
    ...PLAIN,
    ...start,
    dataset: dataset.name,
    format: dataset.formats[0] ?? 'jsonl',
  });
  const change = (next: Partial<FileOptions>) => setFile((was) => ({ ...was, ...next }));
  const isTable = dataset.columns.length > 1;
  const isOfPages = dataset.perRun && dataset.name !== 'changes';
  return (
    <Dialog isOpen onClose={onClose} title={`${texts.dialog}: ${datasetTitle(dataset.name)}`}>
      <div className="grid gap-4">
        <p className="text-muted">{aboutDataset(dataset)}</p>
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label={texts.format}
            value={file.format}
            onValue={(format) => change({ format })}
            choices={dataset.formats.map((value) => ({ value, text: formatName(value) }))}
          />
          <Select
            label={texts.compression}
            value={file.compression}
            onValue={(compression) => change({ compression })}
            choices={COMPRESSIONS.map((value) => ({ value, text: texts.compressions[value] }))}
          />
        </div>
        {isOfPages ? (
          <TextField
            label={texts.query}
            hint={texts.queryHint}
            spellCheck={false}
            value={file.q}
            onChange={(event) => change({ q: event.target.value })}
          />
        ) : null}
        {isTable ? (
          <ColumnChoice
            label={texts.columns}
            hint={texts.columnsHint}
            columns={dataset.columns}
            chosen={file.fields}
            onChoose={(fields) => change({ fields })}
          />
        ) : null}
        {file.format === 'csv' ? <CsvOptions file={file} change={change} /> : null}
        <a href={exportUrl(project, file)} download className={buttonClass('primary')} onClick={onClose}>
          <Download aria-hidden size={16} />
          {texts.download}
        </a>
      </div>
    </Dialog>
  );
}

function CsvOptions({ file, change }: { file: FileOptions; change: (next: Partial<FileOptions>) => void }) {
  return (
    <div className="grid gap-3">
      <Select
        label={texts.delimiter}
        value={file.delimiter}
        onValue={(delimiter) => change({ delimiter })}
        choices={DELIMITERS.map((value) => ({ value, text: texts.delimiters[value] }))}
      />
      <CheckField label={texts.bom} checked={file.bom} onChange={(event) => change({ bom: event.target.checked })} />
      <CheckField
        label={texts.guard}
        checked={file.guard}
        onChange={(event) => change({ guard: event.target.checked })}
      />
    </div>
  );
}
