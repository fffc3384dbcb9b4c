import { ScrollBox } from './scroll-box.tsx';

/** Code or markup as text, in a box that scrolls. */
export function CodeBlock({ label, text, wrap = false }: { label: string; text: string; wrap?: boolean }) {
  return (
    <ScrollBox label={label} className="max-h-[60vh] rounded-md border border-line bg-ground">
      <pre
        dir="ltr"
        className={`w-max min-w-full p-3 font-mono text-xs ${wrap ? 'anywhere w-auto whitespace-pre-wrap' : ''}`}
      >
        {text}
      </pre>
    </ScrollBox>
  );
}
