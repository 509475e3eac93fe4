# chart.sh
#    Charts as SVG that can be read on a dark and on a light page; sourced by bash.
#
# Needs gnuplot.  Text and axes take the colour of the style sheet in the SVG, which follows
# the reader's preference; the background is transparent.

# Draw the chart that gnuplot commands on standard input plot: FILE
chart()
{
	{
		cat <<-END
			set terminal svg size 720,400 font "sans-serif,13"
			set output "$1"
			set datafile separator ","
			set grid ytics linecolor "#808080"
			set border 3
			set tics nomirror
			set linetype 1 linewidth 2 linecolor "#d6604d" pointtype 7
			set linetype 2 linewidth 2 linecolor "#4393c3" pointtype 7
			set linetype 3 linewidth 2 linecolor "#5aae61" pointtype 7
			set linetype 4 linewidth 2 linecolor "#888888" dashtype 2
		END
		cat
	} | gnuplot
	sed -i -E \
		-e "s/(stroke|fill|color)=(['\"])black\2/\1=\2currentColor\2/g" \
		-e 's/ color="currentColor"//g' \
		-e 's|^<title>Gnuplot</title>|<style>svg { color: #24292f } @media (prefers-color-scheme: dark) { svg { color: #d0d7de } }</style>|' \
		-e 's/[ \t]+$//' \
		"$1"
}

# Time per row against the number of keys: CSV FILE ROWS
chart_sizes()
{
	chart "$2" <<-END
		set xlabel "keys (each about 10 bits of filter)"
		set ylabel "nanoseconds per row, of $3 rows"
		set logscale x
		set format x "10^{%L}"
		set xrange [500:2e7]
		set yrange [0:]
		set key tmargin left vertical maxrows 3 Left reverse samplen 2
		plot "$1" using 1:5 with linespoints linetype 1 title "EXISTS (a hash semi-join)", \\
			"" using 1:4 with linespoints linetype 2 title "bloom\\\\_contains (and building the filter)", \\
			"" using 1:3 with lines linetype 4 title "scan with a cheap condition"
	END
}
