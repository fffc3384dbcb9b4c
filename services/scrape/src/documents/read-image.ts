import { messageOf } from '@tidemark/errors';
import ExifReader from 'exifreader';
import { imageSize } from 'image-size';
import { BrokenDocument, type DocumentContent, type DocumentInput, defined } from './document.ts';
import { definitions, heading } from './html-text.ts';

const VALUE_CHARS = 2_000;
/** What a picture's own notes are called, and the tags that hold them, the likeliest first. */
const TOLD: readonly (readonly [string, readonly string[]])[] = [
  ['Title', ['Object Name', 'title', 'Title', 'DocumentName']],
  ['Description', ['ImageDescription', 'Caption/Abstract', 'description', 'Description', 'UserComment', 'Comment']],
  ['Author', ['Artist', 'By-line', 'creator', 'Author']],
  ['Copyright', ['Copyright', 'Copyright Notice', 'rights']],
  ['Taken', ['DateTimeOriginal', 'DateTimeDigitized', 'DateTime', 'Creation Time']],
  ['Camera', ['Model']],
  ['Maker', ['Make']],
  ['Lens', ['LensModel']],
  ['Exposure', ['ExposureTime']],
  ['Aperture', ['FNumber']],
  ['Sensitivity', ['ISOSpeedRatings', 'PhotographicSensitivity']],
  ['Focal length', ['FocalLength']],
  ['Software', ['Software', 'CreatorTool']],
  ['Keywords', ['Keywords', 'subject']],
];

/** Reads what a picture says of itself: its format and size, and the notes cameras and editors leave in it. */
export async function readImage({ bytes }: DocumentInput): Promise<DocumentContent> {
  const { type = '', width, height } = measured(bytes);
  const tags = tagsOf(bytes);
  const told = TOLD.flatMap(([name, from]): [string, string][] => {
    const value = from.map((tag) => tags.get(tag) ?? '').find((each) => each !== '') ?? '';
    return value === '' ? [] : [[name, name === 'Taken' ? isoDate(value) : value]];
  });
  const said = new Map(told);
  const title = said.get('Title') ?? '';
  const format = type === 'jpg' ? 'jpeg' : type;
  const place = placeOf(tags);
  const rest = told.filter(([name]) => name !== 'Title');
  const size: [string, string][] = [
    ['Format', format],
    ['Size', `${width} × ${height} pixels`],
  ];
  return {
    html: heading(1, title) + definitions([...rest, ...place, ...size]),
    ...(title === '' ? {} : { title }),
    facts: {
      kind: 'image',
      format,
      width,
      height,
      ...defined({ author: said.get('Author'), created: said.get('Taken'), keywords: said.get('Keywords') }),
    },
    notes: [],
  };
}

function measured(bytes: Uint8Array): { type?: string; width: number; height: number } {
  try {
    const { type, width, height } = imageSize(bytes);
    if (!(width > 0 && height > 0)) throw new Error('the picture has no size');
    return { ...(type === undefined ? {} : { type }), width, height };
  } catch (error) {
    throw new BrokenDocument(messageOf(error));
  }
}

/** Tags as text; none where there are none that can be read. */
function tagsOf(bytes: Uint8Array): Map<string, string> {
  try {
    const tags: object = ExifReader.load(Buffer.from(bytes));
    return new Map(Object.entries(tags).map(([name, tag]: [string, unknown]) => [name, described(tag)]));
  } catch {
    return new Map();
  }
}

function described(tag: unknown): string {
  const value: unknown = Array.isArray(tag) ? tag.map(described).join(', ') : tag;
  if (typeof value === 'string') return value.slice(0, VALUE_CHARS);
  const text: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'description') : undefined;
  if (typeof text !== 'string' && typeof text !== 'number') return '';
  return String(text).replace(/\0/g, '').trim().slice(0, VALUE_CHARS);
}

/** `2024:02:29 12:00:00`, whose zone nobody knows: Exif 3.0, DateTime */
const isoDate = (text: string): string => text.replace(/^(\d{4}):(\d\d):(\d\d)/, '$1-$2-$3');

function placeOf(tags: ReadonlyMap<string, string>): [string, string][] {
  const [latitude, longitude] = [tags.get('GPSLatitude') ?? '', tags.get('GPSLongitude') ?? ''];
  if (latitude === '' || longitude === '') return [];
  const signed = (value: string, reference: string): string =>
    /^[SW]/.test(tags.get(reference) ?? '') && !value.startsWith('-') ? `-${value}` : value;
  return [['Place', `${signed(latitude, 'GPSLatitudeRef')}, ${signed(longitude, 'GPSLongitudeRef')}`]];
}
