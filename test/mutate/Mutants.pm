# Where C code can be changed by one small edit, and into what.
#
#    my @mutants = find_mutants($text);     those of a file, in the order of their places
#
# A mutant is a hash: `operator', the name of one of those below; `edits', each an offset, a
# length and a replacement; `line', where it is; and `first' and `last', the lines of the
# statement that it is in.
#
#    relational    < and <=, > and >=           negate       conditions of if and while
#    equality      == and !=                    call         a statement dropped that is a call
#    logical       && and ||                    assignment   one dropped that assigns
#    additive      + and -, += and -=           interrupts   CHECK_FOR_INTERRUPTS dropped
#    one           + 1 or - 1 dropped           context      a switch of memory contexts dropped
#    constant      a number, by one or twice    arguments    two neighbours swapped
#    boolean       true and false               bits         | and &, |= and &=
#    shift         << and >>, <<= and >>=
#
#    my $changed = apply_edits($text, @edits);
#    my $words = describe($text, @edits);   the lines before and after, in one line

package Mutants;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(find_mutants apply_edits describe);

my %other = (
	'<' => [ 'relational', '<=' ],
	'<=' => [ 'relational', '<' ],
	'>' => [ 'relational', '>=' ],
	'>=' => [ 'relational', '>' ],
	'==' => [ 'equality', '!=' ],
	'!=' => [ 'equality', '==' ],
	'+=' => [ 'additive', '-=' ],
	'-=' => [ 'additive', '+=' ],
	'<<' => [ 'shift', '>>' ],
	'>>' => [ 'shift', '<<' ],
	'<<=' => [ 'shift', '>>=' ],
	'>>=' => [ 'shift', '<<=' ],
	'|=' => [ 'bits', '&=' ],
	'&=' => [ 'bits', '|=' ],
	'true' => [ 'boolean', 'false' ],
	'false' => [ 'boolean', 'true' ]);

# the same where there is something on the left
my %other_binary = (
	'+' => [ 'additive', '-' ],
	'-' => [ 'additive', '+' ],
	'|' => [ 'bits', '&' ],
	'&' => [ 'bits', '|' ]);

my %assigns = map { $_ => 1 } qw(= += -= *= /= %= &= |= ^= <<= >>= ++ --);
my %closing = ('(' => ')', '[' => ']', '{' => '}');
my $keyword = qr/^(?:if|else|for|while|do|switch|case|default|return|goto|break|continue|sizeof)$/;
my $loop_macro = qr/^(?:foreach\w*|for_each\w*|forboth\w*)$/;
my $not_swapped =
	qr/^(?:ereport|err\w+|elog|IsA|\w+_node|castNode|offsetof|va_arg|Assert|foreach\w*|forboth\w*)$/;

my $token = qr{
	(?<space>\s+|/\*.*?\*/|//[^\n]*)
	| (?<directive>(?<![^\n])[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
	| (?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
	| (?<number>0[xX][0-9a-fA-F]+[uUlL]*|(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?[fFlL]?
		|\d+(?:[eE][-+]?\d+)?[uUlL]*)
	| (?<word>[A-Za-z_]\w*)
	| (?<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
}sx;

# Tokens: hashes of their text, offset, line and kind; brackets have that of their partner in `to',
# and each the bracket around it in `in'.
sub scan
{
	my ($text) = @_;
	my (@tokens, @open);
	my $line = 1;

	while ($text =~ /\G(?:$token)/gc)
	{
		my ($kind) = grep { defined $+{$_} } qw(space directive string number word sign);
		my $value = $+{$kind};

		if ($kind ne 'space' && $kind ne 'directive')
		{
			my $new = {
				text => $value,
				kind => $kind,
				at => pos($text) - length $value,
				line => $line };

			pop @open if $value =~ /^[)\]}]$/ && @open && ($new->{to} = $open[-1]);
			$tokens[ $new->{to} ]{to} = @tokens if defined $new->{to};
			$new->{in} = $open[-1];
			push @tokens, $new;
			push @open, $#tokens if $closing{$value};
		}
		$line += $value =~ tr/\n//;
	}
	return @tokens;
}

# Is token number $i the first of a statement?
sub starts_statement
{
	my ($tokens, $i) = @_;
	my $before = $tokens->[ $i - 1 ];

	return 0 if defined $tokens->[$i]{in} && $tokens->[ $tokens->[$i]{in} ]{text} ne '{';
	return 1 if $before->{text} =~ /^(?:[;{}]|else|do)$/;
	return 0 unless $before->{text} eq ')' && $before->{to} > 0;
	return $tokens->[ $before->{to} - 1 ]{text} =~ /^(?:if|for|while|switch)$|$loop_macro/;
}

# The number of the next of some signs on the level of token $i; $step is 1 or -1.
sub next_on_level
{
	my ($tokens, $i, $step, $signs) = @_;

	for ($i += $step; $i >= 0 && $i < @$tokens; $i += $step)
	{
		my $text = $tokens->[$i]{text};

		return $i if $text =~ $signs;
		if ($step > 0 ? $text =~ /^[(\[{]$/ : $text =~ /^[)\]}]$/)
		{
			$i = $tokens->[$i]{to};
		}
		elsif ($step > 0 ? $text =~ /^[)\]}]$/ : $text =~ /^[(\[{]$/)
		{
			return $i;
		}
	}
	return $i;
}

# Edits that replace token $i, && or ||, with parentheses where both would be beside each other
sub logical_edits
{
	my ($tokens, $i) = @_;
	my $to = $tokens->[$i]{text} eq '&&' ? '||' : '&&';
	my $ends = qr/^(?:[,;?:]|=|[-+*\/%&|^]=|return)$/;
	my @edits = ([ $tokens->[$i]{at}, 2, $to ]);
	my $here = qr/^(?:&&|\|\|)$/;
	my ($left, $right) = map { next_on_level($tokens, $i, $_, $ends) } -1, 1;
	my @beside = grep {
		$_ > $left && $_ < $right
	} map { next_on_level($tokens, $i, $_, qr/$ends|$here/) } -1, 1;

	@beside = grep { $tokens->[$_]{text} =~ $here } @beside;
	return @edits unless @beside;

	# what && joins is put into parentheses: the new one, or those left and right of the new ||
	my $stops = qr/$ends|^\|\|$/;
	my ($from, $until) = map { next_on_level($tokens, $i, $_, $stops) } -1, 1;
	my @pairs = $to eq '&&' ? ([ $from, $until ]) : ([ $from, $i ], [ $i, $until ]);

	for my $pair (@pairs)
	{
		my ($first, $last) = ($tokens->[ $pair->[0] + 1 ], $tokens->[ $pair->[1] - 1 ]);

		push @edits, [ $first->{at}, 0, '(' ], [ $last->{at} + length $last->{text}, 0, ')' ];
	}
	return @edits;
}

sub constant_edit
{
	my ($token) = @_;
	my ($number, $suffix) = $token->{text} =~ /^(0[xX][0-9a-fA-F]+|[^uUlLfF]+)(\w*)$/;

	return if !defined $number;
	return $number == 0 ? '1.0' : "($number * 2.0)" if $number =~ /[.eE]/ && $number !~ /^0[xX]/;
	return "($token->{text} + 1)" if $number =~ /^0[xX]/;
	return ($number == 1 ? 0 : $number + 1) . $suffix;
}

# Dropped where it is not the only one of its block, it would need no (void) 0; but this way what
# is under an `if' always compiles.
sub statement_operator
{
	my ($tokens, $i, $end) = @_;
	my $first = $tokens->[$i];

	return if $first->{text} =~ $keyword || $first->{text} =~ /^(?:Static)?Assert/;
	return 'interrupts' if $first->{text} eq 'CHECK_FOR_INTERRUPTS';
	my $has_switch = grep { $tokens->[$_]{text} eq 'MemoryContextSwitchTo' } $i .. $end;
	my $assigns = next_on_level($tokens, $i - 1, 1, qr/^(?:;|[-+*\/%&|^]?=|<<=|>>=|\+\+|--)$/);
	if ($assigns{ $tokens->[$assigns]{text} })
	{
		# a declaration has a word before the name, and maybe stars
		for my $j ($i + 1 .. $assigns - 1)
		{
			return if $tokens->[$j]{kind} eq 'word' && $tokens->[ $j - 1 ]{kind} eq 'word';
			return
				if $tokens->[$j]{text} eq '*'
				&& $tokens->[ $j - 1 ]{kind} eq 'word'
				&& $tokens->[$j]{in} == ($first->{in} // -1);
		}
		return $has_switch ? 'context' : 'assignment';
	}
	return
		unless $first->{kind} eq 'word'
		&& $tokens->[ $i + 1 ]{text} eq '('
		&& $tokens->[ $i + 1 ]{to} == $end - 1;
	return $has_switch ? 'context' : 'call';
}

sub find_mutants
{
	my ($text) = @_;
	my @tokens = scan($text);
	my @mutants;
	my $body_end = -1;
	my $assert_end = -1;

	for my $i (0 .. $#tokens)
	{
		my $this = $tokens[$i];
		my $value = $this->{text};

		# only in the bodies of functions
		if ($i > $body_end)
		{
			$body_end = $this->{to}
				if $value eq '{' && $i > 0 && $tokens[ $i - 1 ]{text} eq ')' && $this->{to};
			next;
		}
		$assert_end = $tokens[ $i + 1 ]{to}
			if $value =~ /^(?:Static)?Assert/ && $tokens[ $i + 1 ]{text} eq '(';
		next if $i <= $assert_end;

		my ($before, $after) = @tokens[ $i - 1, $i + 1 ];
		my $is_binary = $before->{kind} eq 'number' || $before->{text} =~ /^[)\]]$/
			|| ($before->{kind} eq 'word' && $before->{text} !~ $keyword);
		my @found;

		push @found, [ $other{$value}[0], [ $this->{at}, length $value, $other{$value}[1] ] ]
			if $other{$value};
		push @found,
			[ $other_binary{$value}[0], [ $this->{at}, 1, $other_binary{$value}[1] ] ]
			if $other_binary{$value} && $is_binary;
		push @found, [ 'logical', logical_edits(\@tokens, $i) ] if $value =~ /^(?:&&|\|\|)$/;
		push @found, [ 'one', [ $this->{at}, $after->{at} + length($after->{text}) - $this->{at}, '' ] ]
			if $value =~ /^[-+]$/ && $is_binary && $after->{text} =~ /^1[uUlL]*$/;
		if ($this->{kind} eq 'number' && defined(my $changed = constant_edit($this)))
		{
			push @found, [ 'constant', [ $this->{at}, length $value, $changed ] ];
		}
		if ($value =~ /^(?:if|while)$/ && $after->{text} eq '(')
		{
			my $end = $tokens[ $after->{to} ];

			push @found,
				[ 'negate', [ $after->{at}, 1, '(!(' ], [ $end->{at}, 1, '))' ] ]
				unless $value eq 'while' && $tokens[ $after->{to} + 1 ]{text} eq ';';
		}
		if ($this->{kind} eq 'word' && $value !~ $keyword && $value !~ $not_swapped
			&& $after->{text} eq '(')
		{
			my @starts = ($i + 1);
			my $j = $i + 1;

			push @starts, $j
				while ($j = next_on_level(\@tokens, $j, 1, qr/^,$/)) < $after->{to};
			push @starts, $after->{to};
			for my $k (1 .. $#starts - 1)
			{
				my @parts = map {
					my $start = $tokens[ $starts[$_] + 1 ]{at};
					my $last = $tokens[ $starts[ $_ + 1 ] - 1 ];
					[ $start, $last->{at} + length($last->{text}) - $start ]
				} $k - 1, $k;
				my @texts = map { substr $text, $_->[0], $_->[1] } @parts;

				push @found, [ 'arguments', [ @{ $parts[0] }, $texts[1] ], [ @{ $parts[1] }, $texts[0] ] ]
					if $texts[0] ne $texts[1];
			}
		}
		if (starts_statement(\@tokens, $i))
		{
			my $end = next_on_level(\@tokens, $i - 1, 1, qr/^;$/);
			my $operator =
				($tokens[$end]{text} // '') eq ';' ? statement_operator(\@tokens, $i, $end) : undef;

			push @found,
				[ $operator, [ $this->{at}, $tokens[$end]{at} + 1 - $this->{at}, '(void) 0;' ] ]
				if $operator;
		}
		next unless @found;

		my ($first, $last) = ($i, $i);
		$first-- while $first > 0 && $tokens[ $first - 1 ]{text} !~ /^[;{}]$/;
		$last++ while $last < $#tokens && $tokens[$last]{text} !~ /^[;{}]$/;
		push @mutants,
			map { {
				operator => $_->[0],
				edits => [ @$_[ 1 .. $#$_ ] ],
				line => $this->{line},
				first => $tokens[$first]{line},
				last => $tokens[$last]{line} } } @found;
	}
	return @mutants;
}

sub apply_edits
{
	my ($text, @edits) = @_;

	# of edits at one place, the one that was given first comes first
	for my $i (sort { $edits[$b][0] <=> $edits[$a][0] || $b <=> $a } 0 .. $#edits)
	{
		substr($text, $edits[$i][0], $edits[$i][1]) = $edits[$i][2];
	}
	return $text;
}

sub describe
{
	my ($text, @edits) = @_;
	my ($first) = sort { $a <=> $b } map { $_->[0] } @edits;
	my ($last) = sort { $b <=> $a } map { $_->[0] + $_->[1] } @edits;
	my $start = rindex($text, "\n", $first) + 1;
	my $end = index($text, "\n", $last);
	my @lines = (
		substr($text, $start, $end - $start),
		apply_edits(
			substr($text, $start, $end - $start), map { [ $_->[0] - $start, @$_[ 1, 2 ] ] } @edits));

	for (@lines)
	{
		s/\s+/ /g;
		s/^ | $//g;
		$_ = substr($_, 0, 97) . '...' if length > 100;
	}
	return join ' -> ', @lines;
}

1;
