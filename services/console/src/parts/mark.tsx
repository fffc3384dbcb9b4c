/** The mark: water, and above it the line that the last high water left. */
export const Mark = ({ className = 'size-6' }: { className?: string }) => (
  <svg aria-hidden viewBox="0 0 24 24" className={`shrink-0 ${className}`}>
    <rect width="24" height="24" rx="6" className="fill-accent" />
    <path
      d="M3 15.500c1.500-2 3-2 4.500 0s3 2 4.500 0 3-2 4.500 0 3 2 4.500 0V18a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3Z"
      className="fill-on-accent"
    />
    <path d="M6 8h12" strokeWidth="2" strokeLinecap="round" className="stroke-on-accent" />
  </svg>
);
