import type { Attributes } from '../../model/types.js';
import { type DecodedSpan, SPAN_BYTES, type SpanGroup } from './decoded.js';
import {
  decode,
  emptyAttributes,
  hex,
  type OtlpReader,
  readKeyValue,
  readResource,
  readScopeName,
} from './protobuf-message.js';

/** Decodes an `ExportTraceServiceRequest`. */
export function decodeTraces(body: Uint8Array): SpanGroup[] {
  return decode(body, (reader) =>
    reader.readFields((field, groups: SpanGroup[]) => {
      if (field === 1) readResourceSpans(reader, groups);
    }, []),
  );
}

function readResourceSpans(reader: OtlpReader, groups: SpanGroup[]): void {
  const resource = emptyAttributes();
  reader.message(groups, (field) => {
    if (field === 1) readResource(reader, resource);
    else if (field === 2) groups.push(readScopeSpans(reader, resource));
  });
}

function readScopeSpans(reader: OtlpReader, resource: Attributes): SpanGroup {
  const empty: SpanGroup = { resource, scope: '', spans: [] };
  return reader.message(empty, (field, group) => {
    if (field === 1) group.scope = readScopeName(reader);
    else if (field === 2) group.spans.push(readSpan(reader));
  });
}

function readSpan(reader: OtlpReader): DecodedSpan {
  reader.budget.take(SPAN_BYTES);
  const attributes = emptyAttributes();
  const span: DecodedSpan = {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: 0,
    startMs: 0,
    endMs: 0,
    attributes,
    statusCode: 0,
    links: [],
  };
  return reader.message(span, (field) => {
    if (field === 1) span.traceId = hex(reader.bytes());
    else if (field === 2) span.spanId = hex(reader.bytes());
    else if (field === 4) span.parentSpanId = hex(reader.bytes());
    else if (field === 5) span.name = reader.text();
    else if (field === 6) span.kind = reader.readVarint();
    else if (field === 7) span.startMs = reader.readFixed64() / 1e6;
    else if (field === 8) span.endMs = reader.readFixed64() / 1e6;
    else if (field === 9) readKeyValue(reader, attributes);
    else if (field === 13) span.links.push(readLink(reader));
    else if (field === 15) span.statusCode = readStatusCode(reader);
  });
}

function readLink(reader: OtlpReader): { traceId: string; spanId: string } {
  return reader.message({ traceId: '', spanId: '' }, (field, link) => {
    if (field === 1) link.traceId = hex(reader.bytes());
    else if (field === 2) link.spanId = hex(reader.bytes());
  });
}

function readStatusCode(reader: OtlpReader): number {
  return reader.message({ code: 0 }, (field, status) => {
    if (field === 3) status.code = reader.readVarint();
  }).code;
}
