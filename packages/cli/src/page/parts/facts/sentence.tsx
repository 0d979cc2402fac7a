import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';

/** The address of the advice, which ends the sentence. */
const ADDRESS = /(https:\/\/\S+)/;

/** The sentence about the selected culprit, or about the one with the most blocked time, to copy. */
export function Sentence({ text }: { text: string }): JSX.Element {
  const [copied, setCopied] = useState<string>();
  const paragraph = useRef<HTMLParagraphElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(text);
    } catch {
      // Not allowed, or a page without a secure origin: the reader copies what is selected.
      if (paragraph.current) getSelection()?.selectAllChildren(paragraph.current);
    }
  };
  return (
    <div class="sentence">
      <p ref={paragraph}>{text.split(ADDRESS).map((part) => (ADDRESS.test(part) ? <Advice url={part} /> : part))}</p>
      <button type="button" class="quiet" onClick={() => void copy()}>
        {copied === text ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}

function Advice({ url }: { url: string }): JSX.Element {
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {url}
    </a>
  );
}
